import { env } from "cloudflare:workers";
import { marked } from "marked";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { openPrinter } from "../../../src/reports";
import { reportJobSchema } from "../../../src/reports/printing/jobs/jobs";
import { defaultStyle } from "../../../src/reports/rendering/default-page";
import { languageOf } from "../../../src/reports/rendering/language";
import { call, expectJson } from "../../support/call";
import { mintLocation, mintMember, mintOrganization } from "../../support/factories";
import { mintReport, mintTemplate } from "../../support/reports";
import { ofLayout, readPdf } from "./pdf";

// A browser starts slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const printer = openPrinter(env);
const style = defaultStyle(languageOf("en", "", "UTC").labels)
  .replace(/\{\{#[^}]*\}\}.*?\{\{\/[^}]*\}\}/g, "")
  .replace(/\{\{[^}]*\}\}/g, "x");
const cover = `<header class="cover"><div class="cover-band"></div><div class="cover-brand"><p class="cover-brand-name">Port</p></div>
<div class="cover-title"><p class="cover-kind">Inspection</p><h1>${"The quay wall in autumn ".repeat(4)}</h1><p class="cover-place">Quay 4</p>
<p class="cover-address">Dockside 1</p></div><dl class="cover-facts"><div><dt>Date</dt><dd>Monday</dd></div></dl>
<p class="cover-slogan">The slogan</p></header>`;

/** Prints a page with the style of the default wrapper, and returns the pages after the cover. */
async function print(body: string, own = "") {
  const { pdf, warnings } = await printer.print(async () => ({
    html: [
      `<style>${style}${own}</style></head><body>${cover}<main><section class="report-body">${body}</section></main>`,
    ],
    title: "Fit",
    language: "en",
    madeAt: 0,
  }));
  const [first, ...pages] = (await readPdf(pdf)).pages;
  const text = pages.map((page) => page.text).join(" ");
  return { first, pages, text, warnings: ofLayout(warnings), outside: pages.flatMap((page) => page.outside) };
}

const columns = (count: number) => Array.from({ length: count }, (_, n) => n);
/** A table with numbers that identify their cells. */
const markdownTable = (count: number) =>
  [
    columns(count).map((n) => `Reading ${n}`),
    columns(count).map(() => "---:"),
    ...columns(3).map((row) => columns(count).map((n) => `${1000000 + row * 1000 + n}.25`)),
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
const table = (count: number) => marked.parse(markdownTable(count), { async: false });

test.each([4, 8, 12, 16, 30])("a table of %i columns keeps every column and every number whole", async (count) => {
  const { pages, text, outside, warnings } = await print(`<p>Before</p>${table(count)}<p>After</p>`);
  for (const row of columns(3))
    for (const n of columns(count)) expect(text).toContain(`${1000000 + row * 1000 + n}.25`);
  expect(text).toMatch(/Before.*After/s);
  expect(outside).toEqual([]);
  expect(pages.map(({ width, height }) => width > height)).toEqual(count >= 12 ? [false, true, false] : [false]);
  expect(warnings.map(({ code }) => code)).toEqual(count === 30 ? ["table-very-small"] : []);
});

test.each([
  "@page { size: letter }",
  "@page { size: A4 landscape }",
  "@page { size: A5; margin: 10mm }",
  "@media print { @page { size: 250mm 180mm } }",
  "main { display: grid }",
])("a wide table fits with %s", async (own) => {
  const { text, outside } = await print(table(14), own);
  expect(text).toContain("1002013.25");
  expect(outside).toEqual([]);
});

test("words of a table break between letters only if they are longer than any number", async () => {
  const word = "abcdefghij".repeat(20);
  const { text, outside, pages } = await print(
    `<table><tr><th>Key</th><th>Value</th></tr><tr><td>${word}</td><td>1234567.25</td></tr></table>`,
  );
  expect(text).toContain("1234567.25");
  expect(text.replaceAll(" ", "")).toContain(word);
  expect(outside).toEqual([]);
  expect(pages.map(({ width, height }) => width > height)).toEqual([false]);
});

test("an element that is wider than the paper and not a table is named in a warning", async () => {
  const { warnings } = await print(`<p>Narrow</p><div style="width:400mm">Panorama of the port</div>`);
  expect(warnings).toMatchObject([{ code: "too-wide", at: "Panorama of the port" }]);
});

test("a job warns of a very small table, and its PDF keeps all columns", async () => {
  const { id: organizationId } = await mintOrganization();
  const tenant = { organizationId };
  const location = await mintLocation(tenant);
  const { token } = await mintMember(organizationId, "member");
  const template = await mintTemplate(tenant, { htmlLayoutTemplate: "<h1>{{report.title}}</h1>{{body_html}}" });
  const body = markdownTable(40);
  const reportId = await mintReport(tenant, location, { templateId: template.id, contentJson: { body } });
  const path = `/v1/reports/${reportId}/generate-pdf`;
  const { jobId } = await expectJson(z.object({ jobId: z.string() }), 202, "POST", path, { token });
  const job = await vi.waitFor(
    async () => {
      const read = await expectJson(reportJobSchema, 200, "GET", `/v1/reports/jobs/${jobId}`, { token });
      if (read.finishedAtUtc === null) throw new Error(`still ${read.status}`);
      return read;
    },
    { timeout: 120_000, interval: 200 },
  );
  expect(job.status).toBe("succeeded");
  expect(job.warnings).toMatchObject([{ code: "table-very-small", at: expect.stringMatching(/^Reading 0 Reading 1/) }]);
  const file = await call("GET", job.downloadUrl ?? "", { token });
  const bytes = await call("GET", file.headers.get("location") ?? "");
  const { pages } = await readPdf(new Uint8Array(await bytes.arrayBuffer()));
  for (const n of columns(40)) expect(pages.map(({ text }) => text).join(" ")).toContain(`${1002000 + n}.25`);
});

test("numbers of long lists and footnotes are not cut", async () => {
  const items = columns(120)
    .map((n) => `<li>Item ${n + 1}</li>`)
    .join("");
  const { text, outside } = await print(
    `<ol>${items}</ol><ol start="998"><li>Late</li><li>Later</li><li>Latest</li></ol><section class="footnotes"><ol>${items}</ol></section>`,
  );
  for (const number of ["10.", "99.", "100.", "120.", "998.", "1000."]) expect(text).toContain(number);
  expect(outside).toEqual([]);
});

test.each(["", "@page { size: letter }", "@page { size: A4 landscape }", "@page { size: letter landscape }"])(
  "the cover fills one page to its edges and shows all its text %s",
  async (own) => {
    const { first, pages } = await print("<p>Water levels</p>", own);
    expect(pages).toHaveLength(1);
    expect(pages[0]?.text).toContain("Water levels");
    for (const word of ["Port", "INSPECTION", "Quay 4", "Dockside 1", "Monday", "The slogan"])
      expect(first?.text).toContain(word);
  },
);
