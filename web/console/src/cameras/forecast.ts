import type { CaptureWindow, Entitlements } from "../../../../client/src/index.ts";

const DAY_MINUTES = 24 * 60;

/** The settings that decide what retention needs. */
export interface Plan {
  captureIntervalMinutes: number;
  retentionDays: number;
  captureWidth: number;
  captureHeight: number;
  jpegQuality: number;
  captureWindow: CaptureWindow | null;
}

/** The newest pictures of the camera: their size and their pixels. */
export interface Measured {
  bytes: number;
  pixels: number;
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** The share of a week in which pictures are taken. */
export function openShare(window: CaptureWindow | null): number {
  if (window === null) return 1;
  const length = (minutesOf(window.end) - minutesOf(window.start) + DAY_MINUTES) % DAY_MINUTES;
  return ((window.daysOfWeek?.length ?? 7) / 7) * (length / DAY_MINUTES);
}

/** Bytes of a pixel in a JPEG of an outdoor scene, by the quality of the encoder: 0.35 at 90, 0.13 at 70. */
const bytesPerPixel = (quality: number): number => 0.06 + 0.29 * (Math.min(quality, 100) / 90) ** 6;

/** Bytes that the pictures of a camera need when it has run for as long as they are kept. */
export function bytesNeeded(plan: Plan, measured: Measured | null): number {
  const pixels = plan.captureWidth * plan.captureHeight;
  const picture =
    measured === null ? pixels * bytesPerPixel(plan.jpegQuality) : measured.bytes * (pixels / measured.pixels);
  const pictures = (plan.retentionDays * DAY_MINUTES * openShare(plan.captureWindow)) / plan.captureIntervalMinutes;
  return Math.max(1, Math.round(pictures)) * picture;
}

/** Bytes that the organization may still use. */
export const bytesLeft = ({ documentStorageBytes, usage }: Entitlements): number =>
  Math.max(0, documentStorageBytes - usage.usedBytes - usage.reservedBytes);

/** A share in words: "12 %", "less than 1 %". */
export function percentOf(part: number, whole: number): string {
  const percent = whole <= 0 ? Number.POSITIVE_INFINITY : (100 * part) / whole;
  if (percent < 1) return "less than 1 %";
  return Number.isFinite(percent) ? `${Math.round(percent).toLocaleString("en")} %` : "more than 100 %";
}
