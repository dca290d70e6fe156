import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withoutMetadata } from "../../src/platform/jpeg";
import { DRAFT_LIMITS } from "../../src/reports/limits";
import { mergeThreeWays } from "../../src/reports/merging";
import { LABELS } from "../../src/reports/rendering/labels/en";
import { renderBody } from "../../src/reports/rendering/markdown";
import { parseTemplate } from "../../src/reports/templating/parse";
import { renderTemplate } from "../../src/reports/templating/render";
import { sectionField } from "../../src/search/indexing/sections";
import { makeInputs } from "../jpeg/inputs";
import { machine, table, writeSection } from "../support/results";

/*
 * Measures the longest pieces of work outside of the extraction that a user can cause, at the limits of what the service takes.
 * Each is one call without a pause, so nothing else runs meanwhile.
 */

/** CPU time of a piece from which on the results name it, milliseconds. */
const MAX_PIECE_MS = 500;
const RUNS = 3;

/** CPU time of this thread so far, milliseconds. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const rows: string[][] = [];
const long: string[] = [];

/** Runs a piece several times, and keeps its least CPU time. */
function measure(what: string, piece: () => unknown): void {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < RUNS; n++) {
    const begun = cpuMs();
    piece();
    least = Math.min(least, cpuMs() - begun);
  }
  if (least > MAX_PIECE_MS) long.push(what);
  rows.push([what, `${least.toFixed(0)} ms`]);
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
  measure(`merge of texts of 100,000 words, ${kinds} different`, () => mergeThreeWays(base, mine, theirs));
}
const listOf = () => ({ list: Array.from({ length: DRAFT_LIMITS.maxKeys - 1 }, () => ({ t: random(5) })) });
const lists = [listOf(), listOf(), listOf()] as const;
measure("merge of lists of 49,999 items", () => mergeThreeWays(...lists));

for (const piece of ["- a\n", "# a\n\n", "a\n\n", "|a|b|\n|-|-|\n|c|d|\n\n"])
  measure(`markdown of 1 MB: ${JSON.stringify(piece).replaceAll("|", "\\|")}`, () =>
    renderBody(many(piece, DRAFT_LIMITS.maxBytes - 100), LABELS),
  );

const layout = `{{#a}}${many("{{x}}", 20_000)}{{/a}}`;
const view = { a: Array.from({ length: 40 }, () => ({ x: "<&>" })) };
measure("layout of 160,000 values", () => {
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
  measure(`index entries of 128 passages, ${name}`, () => {
    for (const section of sections) sectionField({ documentId: "a", title: "A title", ...section }, null);
  });
}

const folder = mkdtempSync(join(tmpdir(), "bench-pieces-"));
try {
  for (const { file, size, coding } of makeInputs(folder).inputs) {
    if (!size.startsWith("24 MP")) continue;
    const bytes = new Uint8Array(readFileSync(file));
    measure(`hideMetadata, ${size} ${coding}`, () => withoutMetadata(bytes));
  }
} finally {
  rmSync(folder, { recursive: true });
}

writeSection(
  "Longest pieces of work",
  `${machine()}. CPU time of one piece in Node, the least of ${RUNS} runs: nothing else runs in the isolate meanwhile.
${long.length === 0 ? `All are below ${MAX_PIECE_MS} ms.` : `Above ${MAX_PIECE_MS} ms: ${long.join("; ")}.`}

${table(["piece, at the limit of what the service takes", "CPU"], rows)}`,
);
