import type { Palette } from "./causes.ts";
import type { Clock } from "./clock.ts";
import type { Frames } from "./frames.ts";
import type { RulerView } from "./view.ts";

/** The content of the ruler. The cost of drawing depends on its width, not on the number of frames. */
export interface Scene {
  frames: Frames;
  view: RulerView;
  clock: Clock;
  palette: Palette;
  /** Position of the playhead; null if there is none. */
  at: number | null;
  /** Position of the pointer, pixels; null outside. */
  hover: number | null;
}

/** The properties of a canvas pen that the ruler uses. */
export interface Pen {
  fillStyle: unknown;
  strokeStyle: unknown;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { width: number };
  beginPath(): void;
  roundRect(x: number, y: number, width: number, height: number, radii: number[]): void;
  fill(): void;
}
