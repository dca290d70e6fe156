import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { linkBrowser } from "../../scripts/setup/browser.mjs";
import { pdfOf, stream } from "../documents/extraction/hostile-pdf";
import { openBrowser } from "../system/support/browser";
import { pdftotext, wordsByPage, wordsOf } from "./pdf-text";

/*
 * The words of PDFs of several programs, against pdftotext. It reads letters with wide spacing as words of one letter each, so these
 * lines are compared by their letters, and our words with the words that were written.
 */

const folder = mkdtempSync(join(tmpdir(), "words-"));
let service: Awaited<ReturnType<typeof serve>>;
let browser: Browser;

beforeAll(async () => {
  await linkBrowser();
  browser = await openBrowser();
  service = await serve({
    port: await freePort(),
    stateDir: folder,
    secretsFile: localSecrets(folder),
    config: "test/system/support/printing/wrangler.toml",
  });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Ordinary text with pairs of letters that fonts kern, numbers and words that end lines. */
const BODY = `AVAILABLE: Tower AV, Water Tank 12.5 and To-Do WAVE. Yesterday, Tyler’s Office in LVIV found “Type VA” valves at 07:45.
  The efficient staff refilled five offices, fjord by fjord, and the flow is fine. Ταύτα πάντα. Größe und Maße der Öltanks, AVÍA.`;
const INLINE = "WATER LEVEL";
const HEADINGS = ["SITE INSPECTION", "Water and Waves", "AVALANCHE TOWER", "Prüfung der Kaimauer"];

interface Written {
  /** The text of each line or paragraph in order. */
  texts: readonly string[];
  pdf: () => Promise<Uint8Array> | Uint8Array;
}

const htmlOf = (styles: readonly string[], font: string): { html: string; texts: string[] } => {
  const headings = styles.map((style, i) => ({ style, text: HEADINGS[i % HEADINGS.length] ?? "" }));
  const blocks = headings.map(({ style, text }) => `<h2 style="${style}">${text}</h2><p>${BODY}</p>`);
  return {
    html: `<html lang="en"><head><style>body { font: 11pt ${font}; width: 160mm } p { text-align: left }</style></head><body>${blocks.join("")}<p>The sign <b style="letter-spacing: .2em">${INLINE}</b> is old.</p></body></html>`,
    texts: [...headings.flatMap(({ text }) => [text, BODY]), `The sign ${INLINE} is old.`],
  };
};

const guarded = htmlOf(
  ["letter-spacing: .06em", "letter-spacing: .12em", "letter-spacing: .2em", "letter-spacing: -.012em"],
  "sans-serif",
);
const spaced = htmlOf(
  ["letter-spacing: .12em", "letter-spacing: .3em", "letter-spacing: .5em", "letter-spacing: 2px; word-spacing: .4em"],
  "serif",
);
const justified = htmlOf(
  [
    "letter-spacing: .15em; font-weight: 700",
    "font-kerning: none",
    "font-variant-ligatures: none",
    "letter-spacing: .25em",
  ],
  "'DejaVu Sans', sans-serif",
);

async function chromium(html: string): Promise<Uint8Array> {
  const page = await browser.newPage();
  try {
    await page.setContent(html);
    return await page.pdf({ format: "a4", tagged: false });
  } finally {
    await page.close();
  }
}

/** A text for groff, whose letters that are no ASCII are escapes. */
const troff = (text: string): string =>
  text.replace(/[^\x20-\x7e\n]/g, (c) => `\\[u${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`);
const LATIN = BODY.replace("Ταύτα πάντα. ", "");
/** @param tracking the space that `.tkf` adds behind each letter of a heading, points */
const groffOf = (tracking: number): Written => ({
  texts: [HEADINGS[0] ?? "", LATIN, HEADINGS[2] ?? "", LATIN],
  pdf: () => {
    const block = (heading: string) =>
      `.ps 14\n.tkf R 1 ${tracking} 99 ${tracking}\n.ft R\n${heading}\n.br\n.tkf R 1 0 99 0\n.ps 11\n.ft R\n${troff(LATIN.replace(/\n\s*/g, " "))}\n.sp\n`;
    const source = `.pl 29c\n.ll 16c\n.na\n.nh\n${block(HEADINGS[0] ?? "")}${block(HEADINGS[2] ?? "")}`;
    return Uint8Array.from(execFileSync("groff", ["-Tpdf"], { input: source }));
  },
});

/** A page of Helvetica whose strings have gaps between letters, in thousandths of the size: `TJ` of kerned text. */
function kerned(lines: readonly (readonly [text: string, tracking: number])[]): Uint8Array {
  const kern: Readonly<Record<string, number>> = {
    AV: 70,
    VA: 70,
    To: 80,
    Wa: 60,
    Ty: 60,
    LV: 100,
    AT: 74,
    TA: 80,
    Ta: 90,
  };
  const content = lines.map(([text, tracking], i) => {
    const shown = Array.from(text, (letter, at) => {
      const gap = (kern[text.slice(at, at + 2)] ?? 0) - tracking;
      return `(${letter.replace(/[()\\]/g, "\\$&")}) ${gap}`;
    });
    return `BT /T 12 Tf 1 0 0 1 50 ${760 - i * 30} Tm [${shown.join(" ")}] TJ ET`;
  });
  return pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 800] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>",
    stream("", content.join("\n")),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  );
}
const KERNED = [
  ["AVAILABLE Water Tank To Type LVIV", 0],
  ["AVALANCHE TOWER", 150],
  ["The valves of the Tower are fine", 0],
  ["Water and Waves", 250],
  ["SITE INSPECTION REPORT", 120],
] as const;

const WRITTEN: readonly (readonly [name: string, Written])[] = [
  [
    "our printer",
    {
      texts: guarded.texts,
      pdf: async () => {
        const printed = await fetch(`${service.url}/guarded`, { method: "POST", body: guarded.html });
        return new Uint8Array(await printed.arrayBuffer());
      },
    },
  ],
  ["Chromium, wide spacing", { texts: spaced.texts, pdf: () => chromium(spaced.html) }],
  [
    "Chromium, without kerning and ligatures, justified",
    { texts: justified.texts, pdf: () => chromium(justified.html.replace("text-align: left", "text-align: justify")) },
  ],
  ["groff, wide tracks", groffOf(2)],
  ["groff, narrow tracks", groffOf(0.3)],
  ["strings with gaps", { texts: KERNED.map(([text]) => text), pdf: () => kerned(KERNED) }],
];

describe.each(WRITTEN)("a PDF of %s", (_, { texts, pdf }) => {
  let [ours, theirs]: [string[], string[]] = [[], []];
  beforeAll(async () => {
    const bytes = await pdf();
    [ours, theirs] = [(await wordsByPage(bytes)).flat(), pdftotext(bytes).flat()];
  }, 120_000);

  test("has the letters that pdftotext reads, in their order", () => {
    expect(ours.join("")).toBe(theirs.join(""));
  });

  test("has the words that were written", () => {
    expect(ours).toEqual(texts.flatMap(wordsOf));
  });

  test("has the words of ordinary text that pdftotext reads", () => {
    const known = new Set(ours);
    // Words of one letter can be letters with wide spacing.
    expect(theirs.filter((word) => word.length > 1 && !known.has(word) && !isPartOfSpaced(word, texts))).toEqual([]);
  });
});

/** Whether a part of a word stands in a line of wide spacing, of which pdftotext joins some letters. */
const isPartOfSpaced = (word: string, texts: readonly string[]): boolean =>
  [...HEADINGS, INLINE, ...texts.filter((text) => text === KERNED[4][0])].some((text) =>
    text.replaceAll(" ", "").includes(word),
  );
