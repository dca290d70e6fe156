import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { openPrinter } from "../../../src/reports";
import { BASE_STYLE } from "../../../src/reports/rendering/default-page";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Prints a page with its own layout. */
async function print(body: string) {
  const html = [`<style>${BASE_STYLE}</style><style>@page { margin: 20mm }</style></head><body>${body}`];
  const { pdf, warnings } = await openPrinter(env).print(async () => ({
    html,
    title: "Words",
    language: "en",
    madeAt: 0,
  }));
  const { pages } = await readPdf(pdf);
  return {
    pages,
    warnings: ofLayout(warnings),
    text: pages
      .map(({ text }) => text)
      .join("")
      .replaceAll(/\s/g, ""),
  };
}

const WORD = "abcdefghij".repeat(15);
const ADDRESS = `https://example.org/${"path-of-a-report/".repeat(15)}end`;

test.each([
  ["a paragraph", (word: string) => `<p>See ${word} here</p>`],
  ["a link", (word: string) => `<p><a href="https://example.org">${word}</a></p>`],
  ["a heading", (word: string) => `<h1>${word}</h1>`],
  ["a list", (word: string) => `<ul><li>${word}<ol><li>${word}</ol></ul>`],
  ["a cell and a head", (word: string) => `<table><tr><th>${word}<td>Short</table>`],
  ["a caption of a table", (word: string) => `<table><caption>${word}</caption><tr><td>Short</table>`],
  [
    "a caption of a picture",
    (word: string) => `<figure class="report-image"><figcaption>${word}</figcaption></figure>`,
  ],
  ["code", (word: string) => `<pre>${word}</pre><p><code>${word}</code></p>`],
  ["a quotation", (word: string) => `<blockquote><p>${word}</p></blockquote>`],
  ["the contents", (word: string) => `<ol class="report-contents"><li><a href="#a">${word}</a></ol>`],
  ["a row of boxes", (word: string) => `<div style="display:flex;gap:1em"><b>Date</b><div>${word}</div></div>`],
  [
    "a grid",
    (word: string) => `<div style="display:grid;grid-template-columns:auto auto"><b>Date</b><div>${word}</div></div>`,
  ],
  ["a frame", (word: string) => `<fieldset><legend>${word}</legend>${word}</fieldset>`],
  ["a description", (word: string) => `<dl><dt>${word}<dd>${word}</dl>`],
  ["a footnote", (word: string) => `<section class="footnotes"><ol><li><p>${word}</p></ol></section>`],
  ["text from right to left", (word: string) => `<div dir="rtl"><p>${word}</p></div>`],
])("a word that is wider than the paper keeps its end in %s", async (_, write) => {
  for (const word of [WORD, ADDRESS]) {
    const { pages, text, warnings } = await print(write(word));
    expect(text).toContain(word.slice(-30));
    expect(pages.flatMap(({ outside }) => outside)).toEqual([]);
    expect(warnings).toEqual([]);
  }
});

test("short words beside a long one are not divided", async () => {
  const { pages } = await print(`<div style="display:flex"><div>Measurement</div><div>${WORD}</div></div>`);
  expect(pages[0]?.texts.map(({ text }) => text)).toContain("Measurement");
});

test.each([
  [
    "a line that must not break",
    `<p style="white-space:nowrap">${"some words ".repeat(20)} Unbreakable-end</p>`,
    "Unbreakable-end",
  ],
  [
    "a stylesheet that forbids breaks",
    `<p style="overflow-wrap:normal;white-space:nowrap">From ${WORD}</p>`,
    WORD.slice(0, 60),
  ],
  ["words that a shift moves off the paper", '<p style="text-indent:190mm;white-space:nowrap">Quay wall</p>', "Quay"],
])("the warning names a word that is cut: %s", async (_, body, word) => {
  const { warnings } = await print(`<p>Before</p>${body}`);
  expect(warnings).toEqual([{ code: "too-wide", at: word, detail: expect.stringContaining("word") }]);
});

test("one drawing or chart that is too wide is one warning", async () => {
  const bars = Array.from(
    { length: 12 },
    (_, n) => `<rect x="900" width="90" height="9" y="${n * 20}"/><text x="950" y="${n * 20}">bar ${n}</text>`,
  );
  const drawing = `<div style="margin-left:180mm"><svg style="position:absolute" width="300" height="240" viewBox="0 0 1000 240"><title>Levels</title>${bars.join("")}</svg></div>`;
  const boxes = `<div style="width:400mm">${Array.from({ length: 9 }, (_, n) => `<div style="width:${390 - n}mm">Bar ${n}</div>`).join("")}</div>`;
  const chart = await print(drawing);
  expect(chart.warnings.length).toBeLessThanOrEqual(1);
  expect((await print(boxes)).warnings).toMatchObject([{ code: "too-wide" }]);
  const wide = await print(`<svg width="1500" height="240"><title>Levels</title>${bars.join("")}</svg>`);
  expect(wide.warnings).toEqual([
    { code: "too-wide", at: "Levels", detail: expect.stringMatching(/printed at \d+ %/) },
  ]);
});
