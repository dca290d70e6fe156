import { env } from "cloudflare:workers";
import jpeg from "jpeg-js";
import { describe, expect, test, vi } from "vitest";
import { latin1 } from "../../../src/platform/latin1";
import type { PrintWarning } from "../../../src/platform/ports";
import { openPrinter } from "../../../src/reports";
import { conform } from "../../../src/reports/printing/standard";
import { readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const { BROWSER, BROWSER_POOL } = env;

async function print(body: string, { head = "<title>Quay</title>", bindings = env as object } = {}) {
  const { pdf, warnings } = await openPrinter({ BROWSER, BROWSER_POOL, ...bindings }).print(async () => ({
    html: [`<html lang="en"><head>${head}</head><body>${body}`],
    title: "Quay",
    language: "en",
    madeAt: Date.UTC(2026, 10, 20, 9, 30),
  }));
  const file = latin1(pdf);
  const claims = { archive: /<pdfaid:part>3</.test(file), accessible: /<pdfuaid:part>1</.test(file) };
  return { pdf, file, claims, warnings: warnings.filter(({ code }) => code.startsWith("not-")) };
}

const PICTURE = `data:image/jpeg;base64,${Buffer.from(jpeg.encode({ width: 8, height: 8, data: new Uint8Array(256).fill(99) }, 80).data).toString("base64")}`;

test("a report claims PDF/A-3b and PDF/UA-1, and describes itself and its links", async () => {
  const { pdf, file, claims, warnings } = await print(
    `<h1>Quay</h1><p>Read <a href="https://example.org/plan">the plan</a>, <a href="#end">the <em>end</em></a> and
     <a href="https://example.org/photo"><img alt="the photo" src="${PICTURE}"></a>.</p><p id="end">End</p>`,
    { head: "<title>Quay &amp; “mast” \u0001</title>" },
  );
  expect(warnings).toEqual([]);
  expect(claims).toEqual({ archive: true, accessible: true });
  expect(file).toMatch(/^%PDF-1\.7\n/);
  expect(Buffer.from(file, "latin1").toString("utf8")).toContain('<rdf:li xml:lang="x-default">Quay &amp; “mast”');
  expect(file).toContain("<xmp:ModifyDate>2026-11-20T09:30:00+00:00</xmp:ModifyDate>");
  const said = [...file.matchAll(/\/Contents <FEFF([\dA-F]+)>/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex").swap16().toString("utf16le"),
  );
  expect(new Set(said)).toEqual(new Set(["the plan", "the end", "the photo"]));
  // It is read as before.
  const read = await readPdf(pdf);
  expect(read).toMatchObject({ Language: "en", tagged: true, outline: ["Quay"] });
  expect(new Set(read.pages[0]?.links)).toEqual(new Set(["https://example.org/plan", "https://example.org/photo"]));
  expect(read.pages[0]?.figures).toEqual(["the photo"]);
});

test("a completed PDF is not longer than a PDF may be", async () => {
  const { pdf } = await print("<h1>Quay</h1><p>Text</p>");
  const described = { title: "Quay", language: "en", madeAt: 0 };
  // The same file is completed once more, which makes it longer.
  const longer = await conform(pdf, described);
  expect(longer.warnings).toEqual([]);
  expect(longer.pdf.length).toBeGreaterThan(pdf.length);
  const refused = await conform(pdf, described, pdf.length);
  expect(refused.pdf).toBe(pdf);
  expect(refused.warnings.map(({ code }) => code)).toEqual(["not-accessible", "not-archivable"]);
});

test("parts of a line keep their language, and wrong languages are left out", async () => {
  const { file, claims } = await print(
    `<h1>Quay</h1><p>A <span lang="fr">mur</span>, <i lang="la">murus</i>, <q lang="de">Mauer</q> and <b lang="?!">wall</b></p><p lang="es">muro</p>`,
  );
  const languages = [...file.matchAll(/\/Lang \((\w+)\)/g)].map(([, language]) => language);
  expect(languages.sort()).toEqual(["de", "en", "es", "fr", "la"]);
  expect(claims.accessible).toBe(true);
});

test("text of a ligature is read out and searched as its letters", async () => {
  const { pdf, claims } = await print("<h1>Office</h1><p style='font-family: DejaVu Sans'>office fish baffle</p>");
  expect((await readPdf(pdf)).pages[0]?.text.replaceAll(" ", "")).toContain("officefishbaffle");
  expect(claims.accessible).toBe(true);
});

const CELLS = "<tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6";
const found: [what: string, body: string, at: string, detail: RegExp][] = [
  ["a first heading of another level", "<h2>Mast</h2>", "Mast", /^The first heading of the report has level 2\./],
  [
    "a skipped level",
    "<h1>A</h1><h2>B</h2><h4>Deep in it</h4>",
    "Deep in it",
    /^A heading of level 4 comes after one of level 2\./,
  ],
  [
    "a picture without a text",
    `<h1>A</h1><div style="break-before: page"><img src="${PICTURE}"></div>`,
    "",
    /^A picture on page 2 has no alternative text\./,
  ],
  ["a table without header cells", `<h1>A</h1><table border>${CELLS}</table>`, "1 2 3 4 5 6", /no header cells/],
  [
    "a table with rows of different length",
    "<h1>A</h1><table border><tr><th>a<th>b<tr><td>1</table>",
    "a b 1",
    /same number of columns/,
  ],
  [
    "a hidden link",
    '<h1>A</h1><p aria-hidden="true"><a href="https://example.org">x</a></p>',
    "",
    /^A link on page 1 is hidden/,
  ],
];

describe("a report does not claim PDF/UA-1, and the job names the place, with", () => {
  test.each(found)("%s", async (_, body, at, detail) => {
    const { claims, warnings } = await print(body);
    expect(warnings).toEqual([{ code: "not-accessible", at, detail: expect.stringMatching(detail) }]);
    expect(claims).toEqual({ archive: true, accessible: false });
  });
});

test("a character that no font has keeps a report from both", async () => {
  const { claims, warnings } = await print("<h1>Signs</h1><p>\u{12000}</p>", { bindings: { ASSETS: undefined } });
  expect(warnings.map(({ code }) => code)).toEqual(["not-accessible", "not-archivable"]);
  expect(claims).toEqual({ archive: false, accessible: false });
});

test("warnings are few and short, and hostile pages are printed", async () => {
  const many = `<h1>A</h1>${`<h6>${"wide ".repeat(50)}</h6><h1>B</h1>`.repeat(60)}`;
  const { warnings } = await print(many);
  expect(warnings.length).toBeLessThanOrEqual(20);
  expect(Math.max(...warnings.map(({ at }) => at.length))).toBeLessThanOrEqual(60);
  const hostile = [
    // Groups in groups, each with its own state of the graphics.
    `${"<div style='opacity:.9;transform:rotate(1deg);overflow:hidden'>".repeat(60)}deep`,
    "<div style='filter:blur(2px)'>soft</div><div style='mask:linear-gradient(#000,#0000)'>masked</div><p style='mix-blend-mode:difference'>blended</p>",
    "<table role=list><tr role=listitem><td role=heading aria-level=9>x</table><li role=row>y</li><p role=cell>z</p><ul role=table><li role=columnheader>w</ul>",
    `<p id="${"x".repeat(5000)}">t</p><a href="#${"x".repeat(5000)}">to t</a><a href="https://example.org/${"y".repeat(40_000)}">far</a>`,
    // More squares than are counted.
    `<table><tr><th rowspan=1100 colspan=1000>wide${"<tr>".repeat(1099)}</table>`,
    `<ul>${"<p>no item</p>".repeat(500)}</ul>`,
    "<h1></h1><a href='#'></a><ul></ul><ol><li></ol><table><tr></table><figure></figure><img alt='x'><svg></svg>",
  ];
  for (const body of hostile) {
    const { pdf, warnings } = await print(body);
    expect((await readPdf(pdf)).pages.length).toBeGreaterThan(0);
    expect(warnings.every(({ detail }: PrintWarning) => !detail.includes("undefined"))).toBe(true);
  }
});
