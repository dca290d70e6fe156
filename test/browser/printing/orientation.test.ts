import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { openPrinter } from "../../../src/reports";
import { BASE_STYLE } from "../../../src/reports/rendering/default-page";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/* Sections with an orientation of their own. */

const HEADS = `@page { size: A5; margin: 15mm; @top-left { content: "Harbour" } @bottom-right { content: "Page " counter(page) " of " counter(pages) } }`;

async function print(body: string, style = "") {
  const html = [`<style>${BASE_STYLE}</style><style>body { margin: 0 } ${HEADS}${style}</style></head><body>${body}`];
  const { pdf, warnings } = await openPrinter(env).print(async () => ({
    html,
    title: "Orientations",
    language: "en",
    madeAt: 0,
  }));
  const { pages } = await readPdf(pdf);
  const shapes = pages.map(({ width, height }) => (width > height ? "landscape" : "portrait"));
  const texts = pages.map(({ text }) => text.replaceAll(/\s+/g, " "));
  return { pages, shapes, texts, warnings: ofLayout(warnings) };
}

const words = (name: string, lines = 3) => `<p>${name}</p>${"<p>Words of a line.</p>".repeat(lines)}`;
const wide = (name: string, columns: number) =>
  `<table><tr>${Array.from({ length: columns }, (_, at) => `<td style="min-width: 60px">${name}${at}</td>`).join("")}</tr></table>`;

test("a landscape section has pages of its own, with running heads, page numbers and contents, and the next one is portrait", async () => {
  const { shapes, texts, pages, warnings } = await print(
    `<ol><li><a class="report-page" href="#wide">to wide </a></li><li><a class="report-page" href="#after">to after </a></li></ol>` +
      `${words("Before")}<section data-orientation="landscape"><h2 id="wide">Wide</h2>${wide("cell", 10)}</section><h2 id="after">After</h2>${words("Last")}`,
  );
  expect(shapes).toEqual(["portrait", "landscape", "portrait"]);
  expect([pages[1]?.width, pages[1]?.height]).toEqual([pages[0]?.height, pages[0]?.width]);
  texts.forEach((text, at) => {
    expect(text).toContain("Harbour");
    expect(text).toContain(`Page ${at + 1} of 3`);
  });
  expect(texts[0]).toMatch(/to wide 2.*to after 3/);
  // The table needs more than the portrait paper, and fits the landscape one at its own size.
  expect(texts[1]).toContain("cell9");
  expect(pages[1]?.outside).toEqual([]);
  expect(warnings).toEqual([]);
});

test("pages of a section are measured with its own paper", async () => {
  const picture =
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="900" role="img"><title>Mast</title><rect width="400" height="900" fill="teal"/></svg>';
  const bar = (name: string, width: number) => `<div style="width: ${width}px; height: 20px">${name}</div>`;
  const { warnings, pages, shapes } = await print(
    `${bar("narrow", 430)}${bar("beyond-portrait", 600)}<section data-orientation="landscape">${bar("fits-landscape", 600)}${bar("beyond-landscape", 760)}${wide("many", 30)}${picture}</section>`,
  );
  expect(shapes).toEqual(["portrait", "landscape", ...shapes.slice(2).map(() => "landscape")]);
  expect(warnings.map(({ code, at }) => `${code}: ${at.slice(0, 16)}`)).toEqual(
    [
      expect.stringContaining("table-very-small: many0"),
      "too-tall: Mast",
      "too-wide: beyond-portrait",
      "too-wide: beyond-landscape",
    ].map((one) => (typeof one === "string" ? one.slice(0, 40) : one)),
  );
  expect(pages.flatMap(({ outside }) => outside)).toEqual([]);
});

test("a portrait section turns back within a landscape report or section, and the same orientation changes nothing", async () => {
  const section = (orientation: string, inner: string) =>
    `<section data-orientation="${orientation}">${inner}</section>`;
  const { shapes } = await print(
    `${words("One")}${section("Portrait", words("Two"))}${section("landscape", words("Three") + section("landscape", words("Four")) + section("portrait", words("Five")))}${section("sideways", words("Six"))}`,
  );
  expect(shapes).toEqual(["portrait", "landscape", "portrait", "portrait"]);
  const turned = await print(`${words("One")}${section("portrait", words("Two"))}`, "@page { size: A5 landscape }");
  expect(turned.shapes).toEqual(["landscape", "portrait"]);
});

test("the stylesheet can change the margins and the heads of the section's pages", async () => {
  const { pages, texts } = await print(
    `${words("One")}<section data-orientation="landscape">${words("Two")}</section>`,
    '@page report-landscape { margin-left: 40mm; @top-left { content: "Annex" } }',
  );
  const left = (page = 0) =>
    Math.min(...(pages[page]?.texts ?? []).filter(({ text }) => /^(One|Two)$/.test(text)).map((one) => one.left));
  expect([left(0), left(1)]).toEqual([43, 113]);
  expect(texts.map((text) => [text.includes("Harbour"), text.includes("Annex")])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("a section that the browser cannot give pages of its own is named", async () => {
  const { shapes, warnings } = await print(
    `<div style="display: grid"><section data-orientation="landscape">${words("Inside")}</section></div>`,
  );
  expect(shapes).toEqual(["portrait"]);
  expect(warnings).toMatchObject([{ code: "orientation-without-effect", at: expect.stringContaining("Inside") }]);
});
