import { z } from "@hono/zod-openapi";
import { MAX_FONT_BYTES } from "../../limits";

/** The name of all added fonts together: each face of it says which characters it draws. */
export const ADDED_FONTS = "Report fonts";

const facesSchema = z.array(
  z.object({
    font: z.string(),
    file: z.string(),
    bytes: z.int(),
    ranges: z.array(z.tuple([z.int(), z.int()])),
  }),
);
type Face = z.infer<typeof facesSchema>[number];

/** The static files of the service. */
export type Assets = Pick<Fetcher, "fetch">;

/** The binding looks at the path only. */
const HOME = "https://assets.local/fonts";

/** The fonts of Chinese, Japanese and Korean, which draw the same characters in different forms. */
const HAN = ["noto-sans-sc", "noto-sans-tc", "noto-sans-jp", "noto-sans-kr"];

/** The first of these fonts for a page: the font of its language, else the font of its syllables. */
function firstOfHan(language: string, used: ReadonlySet<number>): string {
  if (/^zh-(?:Hant|TW|HK|MO)\b/i.test(language)) return "noto-sans-tc";
  const [, known] = /^(zh|ja|ko)\b/i.exec(language.toLowerCase()) ?? [];
  const has = (from: number, to: number) => [...used].some((code) => code >= from && code <= to);
  if (known === "ja" || (known === undefined && has(0x3040, 0x30ff))) return "noto-sans-jp";
  return known === "ko" || (known === undefined && has(0xac00, 0xd7af)) ? "noto-sans-kr" : "noto-sans-sc";
}

const isEmoji = (code: number): boolean => /\p{Emoji_Presentation}/u.test(String.fromCodePoint(code));

/** The files that draw these characters, each character by the first font that has it, within the limit of bytes. */
function chosen(faces: readonly Face[], used: ReadonlySet<number>, language: string): Face[] {
  const first = firstOfHan(language, used);
  const rank = ({ font }: Face): number => (font === first ? -1 : HAN.indexOf(font));
  const plain = [
    ...faces.filter(({ font }) => !HAN.includes(font) && !/emoji|symbols|math/.test(font)),
    ...faces.filter(({ font }) => HAN.includes(font)).sort((one, other) => rank(one) - rank(other)),
    ...faces.filter(({ font }) => /symbols|math/.test(font)),
    ...faces.filter(({ font }) => font.includes("emoji")),
  ];
  const emoji = plain.toReversed();
  const found = new Set<Face>();
  let bytes = 0;
  // The Chinese fonts claim syllables of Japanese and Korean that they do not have.
  const ofFont = (name: string) => faces.filter(({ font }) => font === name);
  const [japanese, korean] = [ofFont("noto-sans-jp"), ofFont("noto-sans-kr")];
  const orderOf = (code: number): readonly Face[] => {
    const char = String.fromCodePoint(code);
    if (/\p{Script=Hangul}/u.test(char)) return korean;
    if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(char)) return japanese;
    return isEmoji(code) ? emoji : plain;
  };
  for (const code of [...used].sort((one, other) => one - other)) {
    const order = orderOf(code);
    const face = order.find(({ ranges }) => ranges.some(([from, to]) => code >= from && code <= to));
    if (face === undefined || found.has(face) || bytes + face.bytes > MAX_FONT_BYTES) continue;
    bytes += face.bytes;
    found.add(face);
  }
  return plain.filter((face) => found.has(face)).reverse();
}

/**
 * The fonts that draw these characters, which the machine cannot draw, as CSS: one rule at a time, with the font as data. A later
 * rule comes first for a character that two of them have.
 */
export async function* fontRules(assets: Assets, used: ReadonlySet<number>, language: string): AsyncGenerator<string> {
  if (used.size === 0) return;
  const index = await assets.fetch(`${HOME}/index.json`);
  if (!index.ok) return;
  for (const { file, ranges } of chosen(facesSchema.parse(await index.json()), used, language)) {
    const answer = await assets.fetch(`${HOME}/${file}`);
    if (!answer.ok) continue;
    const data = new Uint8Array(await answer.arrayBuffer()).toBase64();
    // All have the same weights: a browser takes only the faces of the weights that fit a text best.
    const range = ranges.map(([from, to]) => `U+${from.toString(16)}-${to.toString(16)}`).join();
    yield `@font-face{font-family:"${ADDED_FONTS}";font-weight:100 900;src:url(data:font/woff2;base64,${data});unicode-range:${range}}`;
  }
}
