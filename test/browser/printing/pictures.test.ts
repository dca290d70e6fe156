import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { encodeJpeg, pictureOfRgba } from "../../../src/platform/jpeg";
import { openPrinter } from "../../../src/reports";
import { BASE_STYLE } from "../../../src/reports/rendering/default-page";
import { scene } from "../../support/pictures";
import fc from "../../support/properties";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Prints a page with its own layout. */
async function print(style: string, body: string) {
  const html = [`<style>${BASE_STYLE}</style><style>${style}</style></head><body>${body}`];
  const { pdf, warnings } = await openPrinter(env).print(async () => ({
    html,
    title: "Plan",
    language: "en",
    madeAt: 0,
  }));
  return { pages: (await readPdf(pdf)).pages, warnings: ofLayout(warnings) };
}

/** A picture with these attributes. Its file has a tenth of its size. */
function img(width: number, height: number, attributes = `width="${width}" height="${height}"`) {
  const [across, down] = [Math.max(1, Math.round(width / 10)), Math.max(1, Math.round(height / 10))];
  const jpeg = encodeJpeg(pictureOfRgba(scene(across, down), across, down), 80);
  return `<img ${attributes} alt="Mast" src="data:image/jpeg;base64,${Uint8Array.from(jpeg).toBase64()}">`;
}
const figure = (picture: string) =>
  `<figure class="report-image">${picture}<figcaption>The caption</figcaption></figure>`;

const A4 = "@page { size: A4; margin: 20mm }";
const TALL = img(600, 3_000);

test.each([
  ["alone", A4, TALL],
  ["in a figure", A4, figure(TALL)],
  ["with a width in percent", A4, figure(img(600, 3_000, 'style="width:100%"'))],
  ["on landscape paper", "@page { size: A4 landscape; margin: 15mm }", figure(img(1_000, 1_000))],
  ["on small paper", "@page { size: 90mm 60mm; margin: 5mm }", figure(img(300, 400))],
  ["on a named page", `${A4} @page plan { size: A5 landscape; margin: 8mm } div { page: plan }`, `<div>${TALL}</div>`],
  [
    "in a gallery",
    A4,
    `<div class="report-gallery" style="grid-template-columns:1fr">${figure(img(500, 2_500, 'style="aspect-ratio:auto;object-fit:contain"'))}</div>`,
  ],
  ["in a table", A4, `<table><thead><tr><th>Head<tbody><tr><td>${TALL}</table>`],
  ["in a row of boxes", A4, `<div style="display:flex"><div>${TALL}</div><p>Text</p></div>`],
  ["in a line of text", A4, `<p>See ${TALL} here</p>`],
  ["with a least height", `${A4} img { min-height: 400mm }`, img(600, 600)],
])("a picture that is taller than its page is printed whole below its heading: %s", async (_, style, body) => {
  const { pages, warnings } = await print(style, `<p>Before</p><div><h2>The mast</h2>${body}</div><p>After</p>`);
  const shown = pages.filter(({ pictures }) => pictures.length > 0);
  expect(shown.flatMap(({ pictures }) => pictures)).toHaveLength(1);
  const [page] = shown;
  expect(page?.pictures[0]?.height).toBeLessThan(page?.height ?? 0);
  expect(page?.pictures[0]?.height).toBeGreaterThan((page?.height ?? 0) * 0.3);
  expect(page?.text).toContain("The mast");
  if (body.includes("The caption")) expect(page?.text).toContain("The caption");
  expect(warnings).toEqual([{ code: "too-tall", at: "Mast", detail: expect.stringMatching(/printed at \d+ %/) }]);
});

test.each([
  ["with a view box", 'width="600" height="2400" viewBox="0 0 600 2400"'],
  ["without one", 'width="600" height="2400"'],
  ["in a narrow box", 'style="width:100%" viewBox="0 0 600 2400"'],
])("a drawing that is taller than its page is printed whole, %s", async (_, attributes) => {
  const drawing = `<svg ${attributes}><title>Mast</title><text x="9" y="40">top</text><text x="9" y="2380">bottom</text></svg>`;
  const { pages, warnings } = await print(A4, `<h2>The mast</h2>${drawing}`);
  expect(pages.map(({ text }) => text.split(/\s+/).filter(Boolean))).toEqual([["The", "mast", "top", "bottom"]]);
  expect(warnings).toMatchObject([{ code: "too-tall", at: "Mast" }]);
});

test("a cover without margins keeps its picture to the edges of the paper", async () => {
  const cover = `<div style="height:296mm;break-after:page">${img(210, 296, 'style="width:210mm;height:290mm;display:block"')}</div>`;
  const style = `${A4} @page :first { margin: 0 } body { margin: 0 }`;
  const { pages, warnings } = await print(style, `${cover}<p>After</p>`);
  expect(warnings).toEqual([]);
  expect(pages[0]?.pictures).toEqual([{ width: 595, height: 822 }]);
  // After a break, the same height is too much for a page with margins.
  const late = await print(style, `<p style="break-after:page">Cover</p>${img(100, 280, 'style="height:280mm"')}`);
  expect(late.warnings).toMatchObject([{ code: "too-tall" }]);
  expect(late.pages.map(({ pictures }) => pictures.length)).toEqual([0, 1]);
});

test("a picture that fits, or that a box shows in part, stays as it is", async () => {
  const cropped = `<div style="height:50mm;overflow:hidden">${img(300, 2_000)}</div>`;
  const { pages, warnings } = await print(A4, `<h2>Mast</h2>${figure(img(300, 400))}${cropped}`);
  expect(warnings).toEqual([]);
  expect(pages[0]?.pictures).toContainEqual({ width: 225, height: 300 });
});

test("pictures of any size on any paper are each printed once and whole, in their proportions", async () => {
  const size = fc.integer({ min: 2, max: 300 }).map((n) => n * 10);
  const paper = fc.tuple(
    fc.integer({ min: 60, max: 420 }),
    fc.integer({ min: 60, max: 420 }),
    fc.integer({ min: 0, max: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(
      paper,
      fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 4 }),
      async ([across, down, margin], sizes) => {
        const body = sizes.map(([width, height]) => `<h2>Part</h2>${figure(img(width, height))}`).join("");
        const { pages } = await print(
          `@page { size: ${across}mm ${down}mm; margin: ${margin}mm } body { margin: 0 }`,
          body,
        );
        const shown = pages.flatMap(({ pictures }) => pictures);
        expect(shown).toHaveLength(sizes.length);
        for (const [at, { width, height }] of shown.entries()) {
          const [wide, high] = sizes[at] ?? [1, 1];
          expect(width).toBeLessThanOrEqual(((across - 2 * margin) * 72) / 25.4 + 2);
          expect(height).toBeLessThanOrEqual(((down - 2 * margin) * 72) / 25.4 + 2);
          expect(Math.abs(width * high - height * wide)).toBeLessThanOrEqual(2 * Math.max(wide, high));
        }
      },
    ),
    { numRuns: 12 },
  );
});

test("an element that is no picture and is cut by the end of a page is named", async () => {
  const bar = '<div style="width:20mm;height:600mm;background:navy"></div>';
  const box = `<div style="height:500mm;overflow:auto">Scrolled ${"<p>line</p>".repeat(30)}</div>`;
  const long = `<div style="break-inside:avoid">${"<p>A long section</p>".repeat(80)}</div>`;
  const { warnings } = await print(A4, `<p>Load</p>${bar}${box}${long}`);
  expect(warnings).toMatchObject(
    [
      { code: "too-tall", at: "" },
      { code: "too-tall", at: /^Scrolled line/ },
    ].map(({ code, at }) => ({ code, at: typeof at === "string" ? at : expect.stringMatching(at) })),
  );
});

test("headings above a table that gets a landscape page go with it", async () => {
  const cells = (tag: string) => Array.from({ length: 14 }, (_, n) => `<${tag}>${1_000_000 + n}.25</${tag}>`).join("");
  const { pages } = await print(
    A4,
    `<p>Before</p><h2>Levels</h2><h3>Tide</h3><table><tr>${cells("th")}</tr><tr>${cells("td")}</tr></table><p>After</p>`,
  );
  expect(
    pages.map(({ width, height, text }) => [width > height, text.includes("Levels"), text.includes("Tide")]),
  ).toEqual([
    [false, false, false],
    [true, true, true],
    [false, false, false],
  ]);
});
