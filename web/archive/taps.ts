import { distance, type Point } from "./point.ts";

/** Maximum time between the two taps of a finger, and between the two clicks of a mouse, milliseconds. */
const DOUBLE_TAP_MS = 300;
const DOUBLE_CLICK_MS = 500;
/** Maximum distance between two taps, pixels. */
const TAP_PIXELS = 24;

/** Finds double taps and double clicks. Not every browser has an event for a double tap. */
export class DoubleTap {
  #first: { at: number; point: Point } | null = null;

  /** Whether this press is the second of two at one point. `fingers` is the number of the others that are down. */
  isSecond({ pointerType, timeStamp }: PointerEvent, point: Point, fingers: number): boolean {
    const first = this.#first;
    const limit = pointerType === "mouse" ? DOUBLE_CLICK_MS : DOUBLE_TAP_MS;
    const isSecond =
      fingers === 0 && first !== null && timeStamp - first.at < limit && distance(point, first.point) < TAP_PIXELS;
    this.#first = isSecond || fingers > 0 ? null : { at: timeStamp, point };
    return isSecond;
  }
}
