import type { GapCause } from "./frames.ts";

export type Hatch = "diagonal" | "crossed" | "across" | "dots" | "down";

/**
 * For each cause: its hatch, its colour, and whether people can ignore it. archive.css has classes of the same names.
 */
export const CAUSES: Readonly<Record<GapCause, { hatch: Hatch; colour: "silent" | "late" | "calm"; calm: boolean }>> = {
  offline: { hatch: "diagonal", colour: "silent", calm: false },
  "camera-fault": { hatch: "crossed", colour: "late", calm: false },
  paused: { hatch: "across", colour: "calm", calm: true },
  "outside-window": { hatch: "dots", colour: "calm", calm: true },
  unknown: { hatch: "down", colour: "calm", calm: true },
};

export const TOKENS = [
  "text",
  "text-2",
  "text-3",
  "line-strong",
  "surface",
  "cover",
  "density",
  "tick",
  "gap",
  "calm",
  "late",
  "silent",
] as const;

/** The style that the ruler is drawn with. */
export interface Palette {
  colours: Readonly<Record<(typeof TOKENS)[number], string>>;
  /** A pattern of the canvas for each cause, or a colour. */
  hatches: Readonly<Record<GapCause, unknown>>;
  font: string;
}
