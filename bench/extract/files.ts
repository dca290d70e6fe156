import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { pdfOfPages, sentenceOf } from "../../test/support/long-pdf.ts";

/** A DOCX of paragraphs, 20 sentences each. */
function docxOf(paragraphs: number): Uint8Array {
  const text = (n: number) => Array.from({ length: 20 }, (_, line) => sentenceOf(n, line)).join(" ");
  const body = Array.from({ length: paragraphs }, (_, n) => `<w:p><w:r><w:t>${text(n)}</w:t></w:r></w:p>`).join("");
  const main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  return zipSync({
    "[Content_Types].xml": strToU8(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    ),
    "_rels/.rels": strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
  });
}

/** An XLSX with one sheet of rows: a number, a date, a shared text and an inline text each. */
function xlsxOf(rows: number): Uint8Array {
  const sheet = (n: number) =>
    `<row r="${n}"><c r="A${n}"><v>${n * 1.5}</v></c><c r="B${n}" s="1"><v>${40_000 + (n % 9_000)}</v></c><c r="C${n}" t="s"><v>${n % 500}</v></c><c r="D${n}" t="inlineStr"><is><t>${sentenceOf(n, 1)}</t></is></c></row>`;
  const body = Array.from({ length: rows }, (_, n) => sheet(n + 1)).join("");
  const strings = Array.from({ length: 500 }, (_, n) => `<si><t>${sentenceOf(n, 2)}</t></si>`).join("");
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const content = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const relationships = (...list: string[]) =>
    strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.map((target, n) => `<Relationship Id="r${n + 1}" Type="${office}/${target.split(" ")[0]}" Target="${target.split(" ")[1]}"/>`).join("")}</Relationships>`,
    );
  return zipSync({
    "[Content_Types].xml": strToU8(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${content}.sheet.main+xml"/>${[
        ["worksheets/sheet1", "worksheet"],
        ["sharedStrings", "sharedStrings"],
        ["styles", "styles"],
      ]
        .map(([part, type]) => `<Override PartName="/xl/${part}.xml" ContentType="${content}.${type}+xml"/>`)
        .join("")}</Types>`,
    ),
    "_rels/.rels": relationships("officeDocument xl/workbook.xml"),
    "xl/workbook.xml": strToU8(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Log" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": relationships(
      "worksheet worksheets/sheet1.xml",
      "sharedStrings sharedStrings.xml",
      "styles styles.xml",
    ),
    "xl/worksheets/sheet1.xml": strToU8(`<worksheet xmlns="${main}"><sheetData>${body}</sheetData></worksheet>`),
    "xl/sharedStrings.xml": strToU8(`<sst xmlns="${main}">${strings}</sst>`),
    "xl/styles.xml": strToU8(
      `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    ),
  });
}

/** Arguments of qpdf that encrypt a PDF without a user password, by their names in the table. */
const LOCKS = {
  "aes-256": ["--encrypt", "", "owner", "256", "--"],
  "rc4-128": ["--allow-weak-crypto", "--encrypt", "", "owner", "128", "--use-aes=n", "--"],
} as const;

/** The same PDF, encrypted without a user password; null if qpdf is not installed. */
function locked(bytes: Uint8Array, lock: keyof typeof LOCKS): Uint8Array | null {
  const folder = mkdtempSync(join(tmpdir(), "bench-locked-"));
  try {
    const [from, to] = [join(folder, "from.pdf"), join(folder, "to.pdf")];
    writeFileSync(from, bytes);
    execFileSync("qpdf", [...LOCKS[lock], from, to]);
    return Uint8Array.from(readFileSync(to));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The documents of the benchmark by name. */
export async function makeFiles(): Promise<Map<string, Uint8Array>> {
  const report = await pdfOfPages(300);
  const encrypted = (["aes-256", "rc4-128"] as const).flatMap((lock) => {
    const bytes = locked(report, lock);
    return bytes === null ? [] : [[`report-300-pages-${lock}.pdf`, bytes] as const];
  });
  const log = Array.from({ length: 280_000 }, (_, n) => sentenceOf(n, n % 40)).join("\n");
  return new Map<string, Uint8Array>([
    ["report-300-pages.pdf", report],
    ...encrypted,
    ["book.docx", docxOf(2_000)],
    ["log.xlsx", xlsxOf(20_000)],
    ["small.pdf", await pdfOfPages(1)],
    ["small.docx", docxOf(1)],
    ["small.xlsx", xlsxOf(1)],
    ["small.txt", new TextEncoder().encode(sentenceOf(1, 1))],
    ["log.txt", new TextEncoder().encode(log).subarray(0, 19 * 1024 * 1024)],
  ]);
}

/** Serves ranges of files on a separate loopback port. */
export async function serveFiles(
  files: ReadonlyMap<string, Uint8Array>,
  port: number,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const bytes = files.get(decodeURIComponent((request.url ?? "/").slice(1)));
    if (bytes === undefined) return response.writeHead(404).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (from === undefined) return response.end(bytes);
    return response.writeHead(206).end(bytes.subarray(Number(from), Number(to) + 1));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
