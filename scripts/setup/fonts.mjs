import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./project.mjs";

/** The fonts of printed pages in the order in which they are asked for a character, by the stylesheets that list their files. */
const FONTS = {
  "noto-sans-arabic": "wght",
  "noto-sans-hebrew": "wght",
  "noto-sans-armenian": "wght",
  "noto-sans-georgian": "wght",
  "noto-sans-ethiopic": "wght",
  "noto-sans-devanagari": "wght",
  "noto-sans-bengali": "wght",
  "noto-sans-gurmukhi": "wght",
  "noto-sans-gujarati": "wght",
  "noto-sans-tamil": "wght",
  "noto-sans-telugu": "wght",
  "noto-sans-kannada": "wght",
  "noto-sans-malayalam": "wght",
  "noto-sans-sinhala": "wght",
  "noto-sans-thai": "wght",
  "noto-sans-lao": "wght",
  "noto-sans-khmer": "wght",
  "noto-sans-myanmar": "wght",
  "noto-sans-sc": "wght",
  "noto-sans-tc": "wght",
  "noto-sans-jp": "wght",
  "noto-sans-kr": "wght",
  "noto-emoji": "400",
  "noto-sans-symbols": "wght",
  "noto-sans-symbols-2": "400",
  "noto-sans-math": "400",
};

const FACE = /@font-face\s*\{([^}]*)\}/g;

/** Every machine draws the alphabets before this character: Latin, Greek and Cyrillic. They keep the fonts of the page. */
const FIRST = 0x530;

/** The characters of a `unicode-range` from `FIRST` on, as pairs of code points. */
const rangesOf = (range) =>
  range.split(",").flatMap((one) => {
    const [from, to = from] = one.trim().replace(/^U\+/i, "").split("-");
    const last = Number.parseInt(to, 16);
    return last < FIRST ? [] : [[Math.max(FIRST, Number.parseInt(from, 16)), last]];
  });

/**
 * The files of the fonts that printed pages use, and `index.json`: each file with its font and characters.
 * A font that is not installed is left out, because its package is optional: the printer then has only the fonts of its machine.
 * @returns {[string, string | Buffer][]} paths below `fonts` with their contents
 */
export function fontFiles() {
  const [index, files] = [[], []];
  for (const [font, sheet] of Object.entries(FONTS)) {
    const scope = sheet === "wght" ? "@fontsource-variable" : "@fontsource";
    const path = join(ROOT, "node_modules", scope, font, `${sheet}.css`);
    if (!existsSync(path)) continue;
    // The licence of a font goes with its files.
    files.push([`${font}.LICENSE`, readFileSync(join(dirname(path), "LICENSE"))]);
    for (const [, face] of readFileSync(path, "utf8").matchAll(FACE)) {
      const source = /url\(\.\/(files\/[^)]+\.woff2)\)/.exec(face)?.[1];
      const range = /unicode-range:([^;]+)/.exec(face)?.[1];
      if (source === undefined || range === undefined) throw new Error(`${path} has a face without file or range`);
      const file = source.replace("files/", "");
      // The other files of a font claim characters of the first file and of the last files that they do not have.
      if (/-latin-|-latin-ext-/.test(file)) continue;
      if (!/symbols|math/.test(font) && /-(?:symbols|math)-/.test(file)) continue;
      const ranges = rangesOf(range);
      if (ranges.length === 0) continue;
      const bytes = readFileSync(join(dirname(path), source));
      index.push({ font, file, bytes: bytes.length, ranges });
      files.push([file, bytes]);
    }
  }
  return [["index.json", Buffer.from(JSON.stringify(index))], ...files];
}
