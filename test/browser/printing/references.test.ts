import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { openPrinter } from "../../../src/reports";
import { pagesOfDestinations } from "../../../src/reports/printing/page/destinations";
import { BASE_STYLE } from "../../../src/reports/rendering/default-page";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const PAPER = "@page { size: A5; margin: 15mm }";

/** Prints a page with its own layout. */
async function print(body: string, style = "") {
  const html = [`<style>${BASE_STYLE}</style><style>${PAPER}${style}</style></head><body>${body}`];
  const { pdf, warnings } = await openPrinter(env).print(async () => ({
    html,
    title: "References",
    language: "en",
    madeAt: 0,
  }));
  const { pages, outline, tagged } = await readPdf(pdf);
  const texts = pages.map(({ text }) => text.replaceAll(/\s+/g, " "));
  /** The page that has these words outside of the contents and references. */
  const pageOf = (words: string) => texts.findIndex((text) => text.includes(words)) + 1;
  return { pdf, pages, texts, warnings: ofLayout(warnings), outline, tagged, pageOf };
}

const fill = (lines: number) => "<p>Words of a line.</p>".repeat(lines);

test("contents show the page of each heading, whatever its id, and whatever turns or breaks the pages", async () => {
  const ids = ["one", "zwei-ü", "a(b)/c d", "日本", "100%", "__proto__", "x&amp;y", "UPPER"];
  const contents = ids.map(
    (id, at) =>
      `<li><a class="report-page" href="#${at === 3 ? encodeURIComponent(id) : id.replace("%", "%25")}">to ${at} </a>`,
  );
  const parts = ids.map(
    (id, at) =>
      `${fill(at * 7 + 3)}<h2 id="${id}">Chapter-${at}</h2>` +
      (at === 2 ? `<section style="page: wide"><h3>Wide</h3>${fill(4)}</section>` : "") +
      (at === 4 ? `<div style="columns: 2">${fill(50)}</div>` : "") +
      (at === 5 ? `<table>${"<tr><td>A cell<br>of lines".repeat(40)}</table>` : ""),
  );
  const { texts, pageOf, warnings, outline, tagged } = await print(
    `<ol>${contents.join("")}</ol>${parts.join("")}`,
    "h2:nth-of-type(3) { break-before: page } @page wide { size: A5 landscape }",
  );
  expect(warnings).toEqual([]);
  const shown = ids.map((_, at) => Number(new RegExp(`to ${at} (\\d+)`).exec(texts[0] ?? "")?.[1]));
  expect(shown).toEqual(ids.map((_, at) => pageOf(`Chapter-${at}`)));
  expect(new Set(shown).size).toBeGreaterThan(5);
  expect([tagged, outline.length]).toEqual([true, ids.length]);
});

test.each([
  "target-counter(attr(href), page)",
  "target-counter( attr( href url ) ,page )",
  "TARGET-COUNTER(attr(href), page, decimal)",
])("a stylesheet writes the page of a link as CSS for paged media does: %s", async (counter) => {
  const style = `/* target-counter(attr(href), page) */ q { quotes: "target-counter(attr(href), page)" "" }
    @media print { nav a::before { content: "(p. " ${counter} ") " } }`;
  const body = `<nav><a href="#b">Second</a> <a href="https://example.org">Away</a></nav><q></q>${fill(60)}<h2 id="b">B</h2>`;
  const { texts, pageOf, warnings } = await print(body, style);
  expect(warnings).toEqual([]);
  expect(texts[0]).toContain(`(p. ${pageOf("B")} ) Second`.replace(" )", ")"));
  expect(texts[0]).toContain("target-counter(attr(href), page)");
});

test("pages that the numbers themselves move are right, or the job names them", async () => {
  // With two digits in the place of one, the chapter goes to the next page.
  const late = `<p><a class="report-page" href="#end"></a></p>`;
  const style = `a[data-target-page="00"]::after { font-size: 60mm; line-height: 1 }`;
  const moving = await print(`${late}${fill(20)}<h2 id="end">The end</h2>`, style);
  expect(moving.warnings).toEqual([]);
  expect(moving.texts[0]).toMatch(new RegExp(`^${moving.pageOf("The end")} `));
  // The target is on page 1 only as long as the link shows another page.
  const never = await print(
    `<p><a class="report-page" href="#end">Never</a></p><h2 id="end">The end</h2>`,
    `p:has(a[data-target-page="1"]) { height: 170mm; break-after: page }`,
  );
  expect(never.warnings).toEqual([
    { code: "page-number-wrong", at: "Never", detail: expect.stringContaining("fixed width") },
  ]);
});

test("a link to nothing shows a question mark, and the job names it", async () => {
  const { texts, warnings } = await print(
    `<p>See <a class="report-page" href="#nothing">Lost </a> <a class="report-page" href="#gone"></a><a class="report-page" href="#">Top </a></p>
    <p id="gone" style="display:none">x</p><a class="report-page" href="#nowhere" style="display:none">Hidden</a>`,
  );
  expect(texts[0]).toMatch(/See Lost \? \? ?Top 1/);
  expect(warnings.map(({ code, at }) => [code, at])).toEqual([
    ["link-without-target", "Lost"],
    ["link-without-target", "#gone"],
  ]);
});

test("lists of figures and tables show captions and pages, and stay empty without captions", async () => {
  const picture = (words: string, id = "") =>
    `<figure${id}><svg width="40" height="40"></svg><figcaption>${words}</figcaption></figure>`;
  const body = `<nav data-list-of="figure" id="report-figure-1"></nav><nav data-list-of="table"></nav>${fill(40)}
    ${picture("The  quay")}<table><caption>Depths</caption><tr><td>1</table>${fill(40)}${picture("")}${picture("A &lt;b&gt; pier", ' id="x y"')}`;
  const { texts, pages, warnings } = await print(body, "figure, table { break-before: page }");
  expect(warnings).toEqual([]);
  const last = pages.length;
  const quay = texts.findIndex((text, at) => at > 0 && text.includes("The quay")) + 1;
  expect(texts[0]).toMatch(new RegExp(`^The quay ${quay} A <b> pier ${last} Depths ${quay + 1} Words`));
  const none = await print(
    `<nav data-list-of="figure"></nav><style>nav:not(:empty) { height: 50mm; border: 1px solid }</style>Words`,
  );
  expect(none.texts).toEqual(["Words"]);
});

test("captions have numbers, and links and lists show them", async () => {
  const figure = (words: string, attributes = "") =>
    `<figure${attributes}><svg width="40" height="40"><rect width="40" height="40"/></svg><figcaption dir="auto">${words}</figcaption></figure>`;
  const link = (target: string, words = "") => `<a class="report-number" href="#${target}">${words}</a>`;
  const body = `<main data-number-figures="Figure #: " data-number-tables="Table #. "><nav data-list-of="figure"></nav><nav data-list-of="table"></nav>
    <p>See plate ${link("crane")}, ${link("quay%20w%C3%A4ll", "Figure ")}, ${link("depths", "table ")}, ${link("inner")}.</p>
    ${figure("A hidden one", ' style="display:none"')}${figure("")}${figure("The quay", ' id="quay wäll"')}
    <div id="crane"><p>Words</p>${figure("The crane")}</div><table id="depths"><caption>Depths</caption><tr><th>m<tr><td>4</table>
    ${figure("$& <i id='inner'>pier</i>")}</main>`;
  const { texts, warnings, pages, tagged } = await print(body, "figure { break-before: page }");
  expect([warnings, tagged]).toEqual([[], true]);
  const [first = ""] = texts;
  expect(first).toMatch(/^Figure 1: The quay \d Figure 2: The crane \d Figure 3: \$& pier \d Table 1\. Depths \d /);
  expect(first).toContain("See plate 2 , Figure 1 , table 1 , 3 .");
  const all = texts.slice(1).join(" ");
  for (const words of ["Figure 1: The quay", "Figure 2: The crane", "Table 1. Depths", "Figure 3: $& pier"])
    expect(all).toContain(words);
  expect(pages.length).toBeGreaterThan(3);
});

test("numbers count without a form for captions, too, and a link to something else is named", async () => {
  const { texts, warnings } = await print(
    `<style>figcaption::before { content: "Plate 1 " }</style><figure id="a"><svg width="9" height="9"></svg><figcaption>Quay</figcaption></figure>
    <p id="words">See <a class="report-number" href="#a"></a> and <a class="report-number" href="#words">Nothing </a><a class="report-number" href="#gone"></a></p>`,
  );
  expect(texts[0]).toMatch(/Plate 1 Quay See 1 and Nothing \? ?\?/);
  expect(warnings.map(({ code, at, detail }) => [code, at, detail.slice(0, 25)])).toEqual([
    ["link-without-target", "Nothing", "This link has no number, "],
    ["link-without-target", "#gone", "This link has no number, "],
  ]);
});

test("CSS for paged media that has no effect is named, and only where it is CSS", async () => {
  const style = `h1 { string-set: chapter content() } @page { @top-left { content: string(chapter) } @top-right { content: element(head) } }
    .head { position: running(head) } .note { float: footnote } h2 { bookmark-level: 2; bookmark-label: "x" }
    a::after { content: leader(".") target-counter(attr(href), figure) target-text(attr(href)) }
    /* footnote-display: block */ p::before { content: "footnote-policy: line" } .element { color: red } .my-string-set { top: 0 }`;
  const { warnings } = await print("<h1>A</h1><p>B</p>", style);
  expect(warnings.map(({ code }) => code)).toEqual(Array(10).fill("css-without-effect"));
  expect(warnings.map(({ at }) => at)).toEqual([
    "string-set",
    "string()",
    "element()",
    "running()",
    "float: footnote",
    "bookmark-level",
    "bookmark-label",
    "leader()",
    "target-counter()",
    "target-text()",
  ]);
});

test("hostile stylesheets and names do not stop a page with references", async () => {
  const names = ["references", "shown", "target-counter", "hash", "getElementById", "querySelector"];
  const traps = names.map(
    (name) => `<img name="${name}"><form name="${name}"><input name="style"><input name="hash"></form>`,
  );
  const hostile = ['"', "'", "/*", "target-counter(", "target-counter( attr( href ", "\\"].map(
    (part) => `<style>${part.repeat(100_000)}</style>`,
  );
  const { texts } = await print(
    `${traps.join("")}${hostile.join("")}<p><a class="report-page" href="#references"></a>${fill(60)}<h2 id="references">E</h2>`,
  );
  expect(texts[0]).toMatch(/^\d /);
});

test("the pages of destinations are read from any bytes without an error", () => {
  const text = (words: string) => new TextEncoder().encode(words);
  for (const bytes of [
    text(""),
    text("%PDF-1.4 startxref 5 %%EOF"),
    text("trailer <</Root 1 0 R>> startxref\n99999\n%%EOF"),
    text("xref\n0 3\n0000000000 65535 f \n0000000000 00000 n \ntrailer <</Root 1 0 R>>\nstartxref\n0\n%%EOF"),
  ])
    expect(pagesOfDestinations(bytes)).toEqual(new Map());
});
