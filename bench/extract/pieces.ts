import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PhotonImage } from "@cf-wasm/photon/node";
import type { MemberTuple } from "../../src/cameras/exports/manifest";
import { emptyManifest, nextPage } from "../../src/cameras/exports/prepare";
import { MANIFEST_IMAGES_PER_PAGE } from "../../src/cameras/limits";
import { PassageBuilder } from "../../src/documents/extraction/passages";
import { languageOf, legible, paragraphsOf } from "../../src/documents/recognition/text";
import { encodeWords } from "../../src/documents/recognition/words";
import {
  fitPreview,
  pictureOf,
  THUMBNAIL_EDGE,
  thumbnailOf,
  verifyJpeg,
  withoutMetadata,
} from "../../src/platform/jpeg";
import { RECOGNITION_LANGUAGES } from "../../src/platform/languages/recognition";
import { inPieces } from "../../src/platform/pace";
import { decodePicture, encodeEach } from "../../src/platform/pictures/decode";
import { DRAFT_LIMITS } from "../../src/reports/limits";
import { mergeThreeWays } from "../../src/reports/merging";
import { LABELS } from "../../src/reports/rendering/labels/en";
import { renderBody } from "../../src/reports/rendering/markdown";
import { parseTemplate } from "../../src/reports/templating/parse";
import { renderTemplate } from "../../src/reports/templating/render";
import { sectionField } from "../../src/search/indexing/sections";
import { noiseJpeg, noisePixels, paethPng, tablesJpeg, ycckJpeg } from "../../test/support/hostile-pictures";
import { makeInputs } from "../jpeg/inputs";
import { machine, table, writeSection } from "../support/results";

/*
 * Measures the longest pieces of work outside of the extraction that a user can cause, at the limits of what the service takes.
 * Nothing else runs during a piece.
 */

/** CPU time of a piece from which on the results name it, milliseconds. */
const MAX_PIECE_MS = 500;
const RUNS = 3;
/** Only work whose name contains one of these words; without words, all. */
const only = process.argv.slice(2);

/** CPU time of this thread so far, milliseconds. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const rows: string[][] = [];
const long: string[] = [];

/** The CPU time of work, and its longest piece without a pause, milliseconds. */
async function piecesOf(work: () => unknown): Promise<{ longest: number; whole: number }> {
  let [longest, ended] = [0, false];
  const begun = cpuMs();
  let last = begun;
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turns = (async () => {
    for (; !ended; turn()) await new Promise(setImmediate);
  })();
  await work();
  turn();
  const whole = last - begun;
  ended = true;
  await turns;
  return { longest, whole };
}

/** Runs work several times, and keeps the least CPU time of its longest piece. */
async function measure(what: string, work: () => unknown): Promise<void> {
  if (only.length > 0 && !only.some((word) => what.includes(word))) return;
  let least = { longest: Number.POSITIVE_INFINITY, whole: 0 };
  for (let n = 0; n < RUNS; n++) {
    const { longest, whole } = await piecesOf(work);
    if (longest < least.longest) least = { longest, whole };
  }
  if (least.longest > MAX_PIECE_MS) long.push(what);
  rows.push([what, `${least.longest.toFixed(0)} ms`, `${least.whole.toFixed(0)} ms`]);
  console.log(rows.at(-1)?.join(": "));
}

let state = 1;
/** A number below `below`, the same in each run. */
function random(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return (state >>> 8) % below;
}
const many = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));

const wordsOf = (count: number, kinds: number) => Array.from({ length: count }, () => `w${random(kinds)}`).join(" ");
for (const kinds of [2, 300]) {
  const [base, mine, theirs] = [0, 1, 2].map(() => ({ text: wordsOf(100_000, kinds) })) as [object, object, object];
  await measure(`merge of texts of 100,000 words, ${kinds} different`, () => mergeThreeWays(base, mine, theirs));
}
const listOf = () => ({ list: Array.from({ length: DRAFT_LIMITS.maxKeys - 1 }, () => ({ t: random(5) })) });
const lists = [listOf(), listOf(), listOf()] as const;
await measure("merge of lists of 49,999 items", () => mergeThreeWays(...lists));

/** Renders as much of a pattern as a body may have. */
function largestBody(piece: string): string {
  let [fits, refused] = [1, Math.floor((DRAFT_LIMITS.maxBytes - 100) / piece.length) + 1];
  while (refused - fits > refused / 50) {
    const middle = Math.floor((fits + refused) / 2);
    try {
      renderBody(piece.repeat(middle), LABELS);
      fits = middle;
    } catch {
      refused = middle;
    }
  }
  return piece.repeat(fits);
}
for (const piece of [
  "- a\n",
  "- [ ] a\n",
  "# a\n\n",
  "> a\n\n",
  "a\n- b\n\n",
  "- a\n  - b\n",
  "|a|b|\n|-|-|\n|c|d|\n\n",
]) {
  const body = largestBody(piece);
  const name = JSON.stringify(piece).replaceAll("|", "\\|");
  await measure(`markdown of ${(body.length / 1e6).toFixed(1)} MB: ${name}`, () => renderBody(body, LABELS));
}

const layout = `{{#a}}${many("{{x}}", 20_000)}{{/a}}`;
const view = { a: Array.from({ length: 40 }, () => ({ x: "<&>" })) };
await measure("layout of 160,000 values", () => {
  const nodes = parseTemplate("htmlLayoutTemplate", layout);
  renderTemplate({ source: "htmlLayoutTemplate", text: layout, nodes, view });
});

for (const [name, word] of [
  ["compounds", () => `Kellerfensterbrückenlagerwartungsprotokoll${random(99)}`],
  ["Arabic", () => "والكتاب "],
  ["Chinese", () => "港口检查报告"],
  ["codes", () => `INV-2024-${random(9_999)}/B_12.5`],
] as const) {
  const texts = () => Array.from({ length: 8 }, () => Array.from({ length: 180 }, word).join(" ").slice(0, 1_200));
  const sections = Array.from({ length: 16 }, (_, n) => ({ chunkIndex: n * 8, texts: texts() }));
  await measure(`index entries of 128 passages, ${name}`, () => {
    for (const section of sections) sectionField({ documentId: "a", title: "A title", ...section }, null);
  });
}

// The longest text of a page: each word in a line of its own, divided at its end.
const words = Array.from({ length: 66_000 }, (_, n) => ({
  text: n % 2 === 0 ? "a-" : "bc",
  box: [1, 2, 3, 4] as [number, number, number, number],
  confidence: 90,
  line: `1.1.${n}`,
}));
await measure("a recognized page of 200,000 characters", () => {
  const page = legible({ page: 1, width: 3_000, height: 4_000, words, outcome: "recognized" });
  encodeWords(page);
  const maker = new PassageBuilder(0);
  for (const paragraph of paragraphsOf(page.words)) maker.add(1, paragraph);
  maker.flush();
  maker.take();
  languageOf(page.words, RECOGNITION_LANGUAGES);
});

const members = Array.from(
  { length: MANIFEST_IMAGES_PER_PAGE },
  (): MemberTuple => [
    crypto.randomUUID(),
    crypto.randomUUID(),
    1e12,
    1e12,
    8e6,
    1,
    "0".repeat(64),
    "synchronized",
    6_000,
    4_000,
  ],
);
await measure(`a page of an export, ${MANIFEST_IMAGES_PER_PAGE} images`, () =>
  nextPage("a", members, emptyManifest({ cameraId: "a", locationId: "b" })),
);

/** What the service makes of a picture: the derivatives of a document, and a page's picture. */
const derive = async (bytes: Uint8Array) => encodeEach((await decodePicture(bytes, 1_600)).picture, [256, 1_600], 85);
const examine = async (bytes: Uint8Array) => {
  const verdict = await inPieces(verifyJpeg(bytes, { minimumEdge: THUMBNAIL_EDGE }));
  if (verdict.verdict === "rejected") return;
  const picture = pictureOf(verdict.decoded, THUMBNAIL_EDGE);
  thumbnailOf(picture);
  fitPreview(picture);
};
const folder = mkdtempSync(join(tmpdir(), "bench-pieces-"));
try {
  for (const { size, coding, file } of makeInputs(folder, [
    "24 MP square",
    "50 MP square",
    "24 MP noise",
    "50 MP noise",
  ]).inputs) {
    const bytes = new Uint8Array(readFileSync(file));
    if (size.startsWith("24 MP")) {
      await measure(`hideMetadata, ${size} ${coding}`, () => inPieces(withoutMetadata(bytes)));
      await measure(`verification of a capture, ${size} ${coding}`, () => examine(bytes));
    }
    await measure(`derivatives, ${size} ${coding}`, () => derive(bytes));
  }
} finally {
  rmSync(folder, { recursive: true });
}
/** A WebP of noise: its file is as large as the service decodes it. */
function noiseWebp(): Uint8Array {
  const side = 1_150;
  const image = new PhotonImage(noisePixels(side, side), side, side);
  try {
    return image.get_bytes_webp();
  } finally {
    image.free();
  }
}
const pictures = [
  ["WebP of noise, 1.3 MP", noiseWebp],
  ["24 MP noise in four components", () => ycckJpeg(4_898, 4_898)],
  ["600 segments of 3,800 tables each", () => tablesJpeg(noiseJpeg(1_000, 1_000), 600)],
  ["PNG of 24 MP, 16 bits", () => paethPng(4_898, 4_898, 16, 4)],
  ["PNG of 24 MP, 8 bits", () => paethPng(4_898, 4_898, 8, 3)],
  ["PNG of 1 × 24,000,000 pixels", () => paethPng(1, 24_000_000, 8, 3)],
  ["PNG of 65,535 × 366 pixels", () => paethPng(65_535, 366, 8, 4)],
] as const;
for (const [name, make] of pictures) {
  const bytes = make();
  await measure(`derivatives, ${name}`, () => derive(bytes));
}

if (only.length === 0)
  writeSection(
    "Longest pieces of work",
    `${machine()}. CPU time in Node, the least of ${RUNS} runs: of the longest piece, during which nothing else runs in the isolate, and
of all pieces. Noise has the highest quality with which the file is accepted.
${long.length === 0 ? `All pieces are below ${MAX_PIECE_MS} ms.` : `Above ${MAX_PIECE_MS} ms: ${long.join("; ")}.`}

${table(["work, at the limit of what the service takes", "longest piece", "all"], rows)}`,
  );
