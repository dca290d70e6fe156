import { z } from "@hono/zod-openapi";

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** A colour as it is kept and written: it stands in stylesheets as it is, so that it can be nothing else. */
export const colourSchema = z.string().regex(HEX, "must be #rgb, #rrggbb or #rrggbbaa").openapi({ example: "#0b5fff" });

/** Red, green, blue from 0 to 1, laid on white where the colour is transparent. */
function channels(colour: string): [number, number, number] {
  const digits = colour.slice(1);
  const pairs = digits.length === 3 ? [...digits].map((d) => d + d) : (digits.match(/../g) ?? []);
  const [r = 0, g = 0, b = 0, a = 1] = pairs.map((pair) => Number.parseInt(pair, 16) / 255);
  const onWhite = (value: number) => value * a + 1 - a;
  return [onWhite(r), onWhite(g), onWhite(b)];
}

/** Relative luminance (WCAG 2.2), 0 black to 1 white. */
function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast of two colours (WCAG 2.2), 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const WHITE = "#ffffff";
const BLACK = "#111111";

/** The colour to write with on this one: white or near black, whichever is read better. */
export const readableOn = (colour: string): string =>
  contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK;

/** The colour itself where it can be read on white paper (4.5:1), near black otherwise. */
export const readableOnPaper = (colour: string): string => (contrast(colour, WHITE) >= 4.5 ? colour : BLACK);
