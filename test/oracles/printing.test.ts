import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usePrintingService } from "./printing-service.ts";

const service = usePrintingService();
const file = join(service.folder, "report.pdf");

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: "utf8" });

test("poppler and qpdf read the printed PDF: pages, size, title, tags, language, outline and words", async () => {
  const html = `<html lang="de"><head><title>Prüfbericht Südkai</title><style>@page { size: letter landscape }
    h1 { break-before: page }</style></head><body><p>Deckblatt mit Umlauten: äöü ß €.</p>
    <h1>Erster Befund</h1><p>Der Fender ist gerissen.</p><h1>Zweiter Befund</h1><ul><li>Rost</ul>`;
  const printed = await fetch(`${service.url}/guarded`, { method: "POST", body: html });
  writeFileSync(file, new Uint8Array(await printed.arrayBuffer()));
  const info = run("pdfinfo", file);
  expect(info).toMatch(/^Title:\s+Prüfbericht Südkai$/m);
  expect(info).toMatch(/^Tagged:\s+yes$/m);
  expect(info).toMatch(/^Pages:\s+3$/m);
  expect(info).toMatch(/^Page size:\s+792 x 612 pts \(letter\)$/m);
  expect(run("qpdf", "--check", file)).toMatch(/No syntax or stream encoding errors found/);
  const json = run("qpdf", "--json", "--json-key=qpdf", "--json-key=outlines", file);
  expect(json).toContain('"/Lang": "u:de"');
  expect(json).toContain('"/MarkInfo"');
  expect(json).toMatch(/"title": "Erster Befund"/);
  expect(run("pdftotext", file, "-")).toMatch(/äöü ß €\.[\s\S]*Der Fender ist gerissen\.[\s\S]*Rost/);
}, 120_000);

test("each number in the contents of 150 pages is the page on which poppler finds the heading", async () => {
  const chapters = Array.from({ length: 130 }, (_, n) => n + 1);
  const lines = (n: number) => "<p>The fender at the berth was read again after the storm.</p>".repeat((n * 7) % 90);
  const part = (n: number) =>
    `<h2 id="part-${n}">Befund-${n} ü</h2>${lines(n)}` +
    (n % 9 === 0 ? `<table>${"<tr><td>4.1 m<br>4.3 m<td>west".repeat(40)}</table>` : "") +
    (n % 20 === 0 ? `<section style="page: across"><h3>Across</h3>${lines(5)}</section>` : "");
  const html = `<html lang="de"><head><title>Lang</title><style>@page { size: A4; margin: 25mm } @page across { size: A4 landscape }
    h2:nth-of-type(10n) { break-before: page } nav { break-after: page } nav a { display: flex; justify-content: space-between }
    nav a::after { content: target-counter(attr(href url), page) }</style></head><body>
    <nav>${chapters.map((n) => `<a href="#part-${n}">Inhalt-${n}.</a>`).join("")}</nav>${chapters.map(part).join("")}`;
  const printed = await fetch(`${service.url}/guarded`, { method: "POST", body: html });
  writeFileSync(file, new Uint8Array(await printed.arrayBuffer()));
  const pages = run("pdftotext", "-layout", file, "-").split("\f").slice(0, -1);
  expect(pages.length).toBeGreaterThan(150);
  const said = chapters.map((n) => Number(new RegExp(`^ *Inhalt-${n}\\. +(\\d+)$`, "m").exec(pages.join("\n"))?.[1]));
  const found = chapters.map((n) => pages.findIndex((page) => page.includes(`Befund-${n} ü`)) + 1);
  expect(said).toEqual(found);
  expect(run("qpdf", "--check", file)).toMatch(/No syntax or stream encoding errors found/);
}, 120_000);
