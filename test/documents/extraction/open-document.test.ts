import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { utils, write } from "xlsx";
import { fixture, readDocument } from "./read";

const packed = (type: string, content: string, more: Readonly<Record<string, string>> = {}): Uint8Array =>
  zipSync({
    mimetype: strToU8(`application/vnd.oasis.opendocument.${type}`),
    "content.xml": strToU8(content),
    ...Object.fromEntries(Object.entries(more).map(([name, text]) => [name, strToU8(text)])),
  });

const sheet = (rows: string, attributes = 't:name="S"'): string => `<t:table ${attributes}>${rows}</t:table>`;
const cell = (text: string, attributes = ""): string => `<t:table-cell ${attributes}><x:p>${text}</x:p></t:table-cell>`;
const ods = (body: string, styles = ""): Uint8Array =>
  packed(
    "spreadsheet",
    `<o:d><o:automatic-styles>${styles}</o:automatic-styles><o:body><o:spreadsheet>${body}</o:spreadsheet></o:body></o:d>`,
  );
const odp = (body: string): Uint8Array =>
  packed("presentation", `<o:d><o:body><o:presentation>${body}</o:presentation></o:body></o:d>`);

describe("an OpenDocument spreadsheet", () => {
  test("has no text of hidden sheets, and their numbers", async () => {
    const { passages, text } = await readDocument(fixture("moorings.ods"));
    expect(passages.some(({ page }) => page === 2)).toBe(false);
    expect(text).not.toMatch(/Ledger|secret/);
  });

  test("has no text of cells that a merged cell covers", async () => {
    expect((await readDocument(fixture("moorings.ods"))).text).not.toContain("walrus");
  });

  test("has repeated rows and cells once, however often they are repeated", async () => {
    const rows = `<t:table-row t:number-rows-repeated="1048576">${cell("buoy", 't:number-columns-repeated="16384"')}</t:table-row>`;
    const { end, text } = await readDocument(ods(sheet(rows)));
    expect(end).toMatchObject({ status: "indexed", pageCount: 1 });
    expect(text).toBe("S\nbuoy");
  });

  test.each([
    ['o:value-type="float" o:value="0.30000000000000004"', "0.3"],
    ['o:value-type="percentage" o:value="0.125"', "12.5%"],
    ['o:value-type="date" o:date-value="2026-03-14T00:00:00"', "2026-03-14"],
    ['o:value-type="date" o:date-value="2026-03-14T18:30:00"', "2026-03-14 18:30:00"],
    ['o:value-type="time" o:time-value="PT18H30M00S"', "18:30"],
    ['o:value-type="boolean" o:boolean-value="false"', "FALSE"],
    ['o:value-type="string" o:string-value="berth"', "berth"],
    ['o:value-type="float"', ""],
    ["", ""],
  ])("has the value of a cell without shown text: %s", async (attributes, value) => {
    const rows = `<t:table-row><t:table-cell ${attributes}/>${cell("last")}</t:table-row>`;
    expect((await readDocument(ods(sheet(rows)))).text).toBe(value === "" ? "S\nlast" : `S\n${value} | last`);
  });

  test("has the shown text of a cell instead of its value, and its comment after the row", async () => {
    const note = "<o:annotation><c:creator>Ann</c:creator><c:date>2026</c:date><x:p>a remark</x:p></o:annotation>";
    const rows = `<t:table-row><t:table-cell o:value-type="float" o:value="5">${note}<x:p>five</x:p></t:table-cell>${cell("six")}</t:table-row>`;
    expect((await readDocument(ods(sheet(rows)))).text).toBe("S\nfive | six\na remark");
    const valued = `<t:table-row><t:table-cell o:value-type="float" o:value="5">${note}</t:table-cell></t:table-row>`;
    expect((await readDocument(ods(sheet(valued)))).text).toBe("S\n5\na remark");
  });

  test("has no deleted cells, no messages of validations and no copies of other files", async () => {
    const row = `<t:table-row>${cell("kept")}</t:table-row>`;
    const aside = `<t:tracked-changes><t:change-track-table-cell><x:p>deleted</x:p></t:change-track-table-cell></t:tracked-changes><t:content-validations><t:error-message><x:p>wrong</x:p></t:error-message></t:content-validations>`;
    const links = `<t:dde-links>${sheet(`<t:table-row>${cell("copied")}</t:table-row>`)}</t:dde-links>`;
    const { end, text } = await readDocument(ods(aside + sheet(row) + links));
    expect(text).toBe("S\nkept");
    expect(end.pageCount).toBe(1);
  });

  test("has a table within a cell on the page of its sheet", async () => {
    const inner = `<t:table-cell>${sheet(`<t:table-row>${cell("inner")}</t:table-row>`, 't:name="Inner"')}</t:table-cell>`;
    const { end, passages } = await readDocument(ods(sheet(`<t:table-row>${inner}${cell("outer")}</t:table-row>`)));
    expect(end.pageCount).toBe(1);
    expect(passages.map(({ page, text }) => [page, text])).toEqual([[1, "S\ninner | outer"]]);
  });

  test("of another library is read with its sheets and values", async () => {
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([["Vessel", 12.5, true], ["Grey Heron"]]), "Fleet");
    utils.book_append_sheet(book, utils.aoa_to_sheet([["Quay"]]), "Quays");
    const bytes = write(book, { type: "array", bookType: "ods" }) as ArrayBuffer;
    const { end, passages } = await readDocument(new Uint8Array(bytes), "a.ods");
    expect(end).toMatchObject({ status: "indexed", pageCount: 2 });
    expect(passages.map(({ page, text }) => [page, text])).toEqual([
      [1, "Fleet\nVessel | 12.5 | TRUE\nGrey Heron"],
      [2, "Quays\nQuay"],
    ]);
  });

  test("that is a template is read", async () => {
    const bytes = packed(
      "spreadsheet-template",
      `<o:d><o:spreadsheet>${sheet(`<t:table-row>${cell("a")}</t:table-row>`)}</o:spreadsheet></o:d>`,
    );
    expect((await readDocument(bytes)).text).toBe("S\na");
  });
});

describe("an OpenDocument presentation", () => {
  test("has no numbers of slides, times and prompts of forms", async () => {
    const body =
      "<d:page><o:forms><x:p>form</x:p></o:forms><x:p>a <x:page-number>7</x:page-number> b <x:time>12:00</x:time></x:p></d:page>";
    const { end, text } = await readDocument(odp(body));
    expect(text).toBe("a b");
    expect(end.pageCount).toBe(1);
  });

  test("has hidden shapes without text", async () => {
    const body = '<d:page><d:frame d:display="none"><x:p>hidden</x:p></d:frame><x:p>shown</x:p></d:page><d:page/>';
    const { end, text } = await readDocument(odp(body));
    expect(text).toBe("shown");
    expect(end.pageCount).toBe(2);
  });

  test("has comments after the slide", async () => {
    const body =
      "<d:page><o:annotation><c:creator>Ann</c:creator><x:p>remark</x:p></o:annotation><x:p>slide</x:p></d:page><d:page><x:p>next</x:p></d:page>";
    const { passages } = await readDocument(odp(body));
    expect(passages.map(({ page, text }) => [page, text])).toEqual([
      [1, "slide\nremark"],
      [2, "next"],
    ]);
  });
});

test.each([
  ["graphics", "unsupported"],
  ["chart", "unsupported"],
])("OpenDocument %s ends as %s", async (type, status) => {
  expect((await readDocument(packed(type, "<o:d/>"))).end.status).toBe(status);
});

test("a document that is encrypted as a whole is encrypted, not damaged", async () => {
  const bytes = zipSync({
    mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
    "encrypted-package": new Uint8Array(9),
    "META-INF/manifest.xml": strToU8(
      '<m:manifest><m:file-entry m:full-path="encrypted-package"><m:encryption-data/></m:file-entry></m:manifest>',
    ),
  });
  expect((await readDocument(bytes)).end.status).toBe("encrypted");
});
