/** A colour as its parts, 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

/** The parts of `#rgb`, `#rrggbb` or `#rrggbbaa`; null for anything else. */
export function partsOf(hex: string): Rgb | null {
  if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(hex)) return null;
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : (hex.slice(1).match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0] = digits.map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue];
}

/** A colour as `#rrggbb`. */
const hexOf = (parts: Rgb): string =>
  `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/** Mixes two colours: `share` is the part of the second, 0 to 1. */
const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];

/** The relative luminance of WCAG 2. */
function luminanceOf(parts: Rgb): number {
  const [red, green, blue] = parts.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of WCAG 2 between two colours, 1 to 21. */
export function contrastOf(a: Rgb, b: Rgb): number {
  const [x, y] = [luminanceOf(a), luminanceOf(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** The contrast that text needs. */
export const TEXT_CONTRAST = 4.5;
export const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [10, 11, 12];

/** The surfaces of each theme that the accent is shown on as text, as in tokens.css. */
const SURFACES: Readonly<Record<"light" | "dark", readonly Rgb[]>> = {
  light: [WHITE, [244, 245, 246], [238, 240, 242]],
  dark: [
    [22, 25, 28],
    [15, 17, 19],
    [32, 37, 42],
  ],
};

export interface Accent {
  accent: string;
  hover: string;
  onAccent: string;
  soft: string;
}

/** The accent of a theme from a colour; null where the colour has too little contrast on its surfaces. */
export function accentOf(hex: string, theme: "light" | "dark"): Accent | null {
  const colour = partsOf(hex);
  if (colour === null) return null;
  const surfaces = SURFACES[theme];
  const soft = mix(surfaces[0] ?? WHITE, colour, 0.12);
  if ([...surfaces, soft].some((surface) => contrastOf(colour, surface) < TEXT_CONTRAST)) return null;
  const onAccent = contrastOf(WHITE, colour) >= TEXT_CONTRAST ? WHITE : BLACK;
  const hover = mix(colour, theme === "light" ? BLACK : WHITE, 0.18);
  return { accent: hexOf(colour), hover: hexOf(hover), onAccent: hexOf(onAccent), soft: hexOf(soft) };
}
