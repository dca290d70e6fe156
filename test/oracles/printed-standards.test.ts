import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONDITIONS, failuresOf } from "./matterhorn.ts";
import { archiveFailuresOf } from "./pdf-archive.ts";
import { Objects } from "./pdf-objects.ts";
import { usePrintingService } from "./printing-service.ts";

const service = usePrintingService();
const file = join(service.folder, "report.pdf");

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: "utf8" });

async function print(html: string, query = ""): Promise<Objects> {
  const printed = await fetch(`${service.url}/guarded${query}`, {
    method: "POST",
    body: html,
    // The checks of a long file block for longer than a connection stays open.
    headers: { connection: "close" },
  });
  writeFileSync(file, new Uint8Array(await printed.arrayBuffer()));
  expect(run("qpdf", "--check", file)).toMatch(/No syntax or stream encoding errors found/);
  return new Objects(file);
}

const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** A report with everything that a report usually has. */
const WHOLE = `<html lang="de"><head><title>Prüfbericht &amp; „Südkai“</title><style>
  @page { size: A4; margin: 25mm 20mm; @top-left { content: "Südkai" } @bottom-right { content: "Seite " counter(page) " von " counter(pages) } }
  body { font-family: sans-serif } h1 { break-before: page; background: #eef; border-bottom: 2px solid blue }
  td, th { border: 1px solid #999; background: rgb(0 0 0 / .05) } tr:nth-child(even) td { background: #eee }
  nav a::after { content: target-counter(attr(href), page) } .soft { opacity: .5 } .glow { box-shadow: 0 0 5px gray }
  .band { background: linear-gradient(red, blue); height: 30px } li.photo { list-style-image: url(${PICTURE}) }</style></head><body data-number-figures="Bild #: " data-number-tables="Tabelle #: ">
  <header><img alt="Logo" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='50' height='50'><circle cx='25' cy='25' r='20' fill='red' opacity='.5'/></svg>"></header>
  <nav><ol><li><a href="#eins">Erstens</a></li></ol></nav>
  <h1 id="eins">Erstens</h1>
  <p>Text mit <em>Betonung</em>, <strong>Gewicht</strong>, <a href="https://example.org/plan">Plan</a>, <a href="#eins">oben</a>,
  <span lang="en">English words</span>, <i lang="it">parole</i>, <code>code()</code>, H<sub>2</sub>O, <del>alt</del> <ins>neu</ins> <kbd>K</kbd>, office fi ffl
  und <a href="https://example.org/long">einem Link, der so lang ist, dass er über das Ende der Zeile geht und auf der nächsten weitergeht</a><sup><a href="#fn1" id="ref1" data-footnote-ref>1</a></sup>.</p>
  <p lang="fr">Un paragraphe français.</p><blockquote><p>Zitat</p></blockquote>
  <h2>Listen</h2><ul><li>eins</li><li>zwei<ul><li>drei</li></ul></li></ul><ul><div><li>in einem Kasten</li></div></ul><li>allein</li>
  <ol><li class="photo">mit Bild</li><li><input type="checkbox" checked disabled> <span class="report-state" style="position:absolute;color:transparent">Erledigt:</span>Fender</li></ol>
  <dl><div><dt>Datum</dt><dd>heute</dd></div></dl>
  <h2>Tabellen</h2><table><caption>Maße</caption><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><th scope="row">Zeile</th><td>2</td></tr><tr><td colspan="2">3</td></tr></tbody></table>
  <table role="presentation"><tr><td>gesetzt</td></tr></table>
  <h3>Bilder</h3><figure><img alt="Eine rote Fläche" src="${PICTURE}" width="100"><figcaption id="flaeche">Die Fläche</figcaption></figure> siehe <a class="report-number" href="#flaeche">Bild </a><figure><table><tr><th>X</th></tr><tr><td>1</td></tr></table></figure>
  <img alt="" src="${PICTURE}"><svg width="60" height="60"><title>Plan</title><rect width="50" height="50" fill="green" opacity=".4"/><text x="5" y="20">Text</text></svg>
  <svg width="60" height="60"><rect width="50" height="50" fill="green"/></svg><a href="https://example.org/pic"><img alt="Bild im Link" src="${PICTURE}"></a>
  <img class="soft" alt="durchsichtig" src="${PICTURE}"><hr><pre><code>Zeile 1
Zeile 2</code></pre><p class="soft">durchsichtig</p><p class="glow">Schatten</p><p style="-webkit-text-stroke: 1px red">Umriss</p><p style="text-shadow: 2px 2px 4px gray">weich</p>
  <div class="band"></div><progress value=".5"></progress><ruby>x<rt>y</rt></ruby><details open><summary>Mehr</summary>Text</details>
  <section class="footnotes"><h2 id="label">Fußnoten</h2><ol><li id="fn1"><p>Nach Band <a href="#ref1" data-footnote-backref aria-label="Zurück">zurück</a></p></li></ol></section>
  <h2 id="${"lang-ü-".repeat(40)}">Lang</h2><p><a href="#${encodeURIComponent("lang-ü-".repeat(40))}">zum langen Namen</a></p></body></html>`;

test("a printed report fails no condition of the Matterhorn Protocol and no requirement of PDF/A-3b", async () => {
  const objects = await print(WHOLE);
  const words = run("pdftotext", file, "-").replace(/\s+/g, " ");
  for (const numbered of ["Bild 1: Die Fläche", "siehe Bild 1", "Tabelle 1: Maße"]) expect(words).toContain(numbered);
  expect(failuresOf(objects)).toEqual({});
  expect(archiveFailuresOf(objects, file)).toEqual({});
});

test("the data of a report are in its PDF, and it fails none either", async () => {
  const json = JSON.stringify({ title: "Prüfbericht “Südkai”", fields: { wind: 12.5, findings: ["Rost"] } });
  const objects = await print(WHOLE, `?${new URLSearchParams({ data: json })}`);
  expect(failuresOf(objects)).toEqual({});
  expect(archiveFailuresOf(objects, file)).toEqual({});
  expect(run("qpdf", "--list-attachments", file)).toMatch(/^report\.json -> \d+,0\n$/);
  expect(run("qpdf", "--show-attachment=report.json", file)).toBe(json);
  expect(run("pdfdetach", "-list", file)).toMatch(/1: report\.json/);
});

test("150 pages fail none either", async () => {
  const rows = (n: number) => `<tr><td>${n}.1</td><td>4.1 m</td><td>west</td></tr>`.repeat(30);
  const part = (n: number) =>
    `<h2 id="p${n}">Part ${n}</h2><table><tr><th>No<th>Height<th>Side</tr>${rows(n)}</table><ul><li>a<li>b</ul>`;
  const body = Array.from({ length: 150 }, (_, n) => part(n)).join("");
  const objects = await print(
    `<html lang="en"><head><title>Long</title><style>h2 { break-before: page }</style></head><body><h1>All</h1>${body}</body></html>`,
  );
  expect(objects.pages.length).toBeGreaterThan(150);
  expect(failuresOf(objects)).toEqual({});
  expect(archiveFailuresOf(objects, file)).toEqual({});
});

describe("a report that fails a condition does not claim to conform", () => {
  test.each([
    ["14-002", "<h2>Second</h2>"],
    ["14-003", "<h1>First</h1><h3>Third</h3>"],
    ["13-004", `<img src="${PICTURE}">`],
    ["15-003", "<table border><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6</table>"],
    ["28-011", '<p aria-hidden="true"><a href="https://example.org">hidden</a></p>'],
  ])("%s", async (id, body) => {
    const { [id]: found, ...others } = failuresOf(
      await print(`<html lang="en"><title>T</title><body>${body}</body></html>`),
    );
    // A table without header cells fails no condition of a program, but a person would fail it.
    if (id !== "15-003") expect(found).toBeDefined();
    expect(others).toMatchObject({ "06-002": ["no identifier"] });
    expect(archiveFailuresOf(new Objects(file), file)).toEqual({});
  });
});

test("the page about printed PDFs lists each condition once", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/reference/printed-pdf.md"), "utf8");
  const listed = [...page.matchAll(/^\| (\d\d-\d\d\d) \|/gm)].map(([, id]) => id);
  expect(listed).toEqual(Object.keys(CONDITIONS).sort());
});
