import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { pdfOf } from "./hostile-pdf";
import { fixture, readDocument, readFixture } from "./read";

/*
 * The files of test/fixtures/documents were written by LibreOffice 7.4, pandoc 2.17, qpdf and Python's email package
 * from sources of this project. Each row is a sentence of the source and the page that it is on.
 */
const SENTENCES: readonly (readonly [file: string, page: number | null, sentence: string])[] = [
  ["report.pdf", 1, "Divers found that the third caisson has settled by four centimetres since the last survey"],
  ["report.pdf", 1, "Grüße aus Zürich: die Rückstände sind gering."],
  ["report.pdf", 2, "Its lantern was replaced by a sapphire lens that turns once every nine seconds."],
  ["report.pdf", 3, "Delivery is expected through the western gate."],
  ["owner-locked.pdf", 3, "Delivery is expected through the western gate."],
  ["report.docx", null, "has settled by four centimetres since the last survey. The concrete shows hairline cracks"],
  ["report.docx", null, "The earlier survey is kept in the pilot house archive."],
  ["report.docx", null, "Harbour inspection header line"],
  ["report.docx", null, "Confidential footer of the port authority"],
  ["report.docx", null, "Number three | 40 mm | observe quarterly"],
  ["report.docx", null, "港口检查报告显示防波堤状况良好。"],
  ["report.odt", null, "has settled by four centimetres since the last survey. The concrete shows hairline cracks"],
  ["report.odt", null, "The earlier survey is kept in the pilot house archive."],
  ["report.odt", null, "Harbour inspection header line"],
  ["report.odt", null, "Number three | 40 mm | observe quarterly"],
  ["report.odt", null, "Remark in a text box about the foghorn"],
  ["report.rtf", null, "has settled by four centimetres since the last survey. The concrete shows hairline cracks"],
  ["report.rtf", null, "The earlier survey is kept in the pilot house archive."],
  ["report.rtf", null, "Grüße aus Zürich: die Rückstände sind gering. 港口检查报告显示防波堤状况良好。"],
  ["report.rtf", null, "Number three | 40 mm | observe quarterly"],
  ["report.rtf", null, "Remark in a text box about the foghorn"],
  ["report.html", null, "Grüße aus Zürich: die Rückstände sind gering. 港口检查报告显示防波堤状况良好。"],
  ["report.html", null, "Number three | 40 mm | observe quarterly"],
  ["figures.xlsx", 1, "Dues"],
  ["figures.xlsx", 1, "Albatross of Tromsø | 2026-03-14 | 12345.678 | 12.5%"],
  ["figures.xlsx", 1, "Grey Heron | 2026-03-15 18:30 | 24691.356 | TRUE"],
  ["figures.xlsx", 2, "Remarks & more\nThe tariff for pilots rises in the spring quarter."],
  ["talk.pptx", 1, "Forty new berths along the eastern quay"],
  ["talk.pptx", 1, "Remember to thank the dredging crew by name."],
  ["talk.pptx", 2, "Island loop | eighty-five"],
  [
    "moorings.ods",
    1,
    "Moorings\nMoorings of the outer basin\nKittiwake of Ærøskøbing | 14. March 2026 | 1,234.50 EUR | TRUE",
  ],
  ["moorings.ods", 1, "TRUE\nbollard\nrepeated quay wall"],
  ["moorings.ods", 1, "hidden row of cleats\nTwo lines of text | 港口检查报告"],
  ["moorings.ods", 1, "A remark about the fairlead"],
  ["moorings.ods", 3, "Tides & currents\nSlack water lasts nine minutes. | -12.75"],
  ["gates.odp", 1, "The lock gates of Sørvågen\nGate seals were replaced in spring\nThe culvert — cleaned twice"],
  ["gates.odp", 1, "Slide box about the penstock\nMention the dredger captain by name."],
  ["gates.odp", 2, "Timetable of the ferries\nIsland loop | eighty-five\n港口检查报告 for the harbour board"],
  ["gates.odp", 3, "Hidden slide on the budget of sluices"],
  ["keeper-2.epub", null, "The Keeper’s Handbook\nAstrid Keeper, Bjørn Vakt\n"],
  [
    "keeper-2.epub",
    null,
    "The lamp room\nThe lantern is cleaned with vinegar on the first Monday. Grüße aus Zürich.\nCount",
  ],
  ["keeper-3.epub", null, "Signal | Seconds\nLong | six\nShort | two\nExcept on the feast of Saint Nicholas."],
  ["keeper-3.epub", null, "港口检查报告显示防波堤状况良好。"],
  ["legacy.doc", null, "has settled by four centimetres since the last survey. The concrete shows hairline cracks"],
  ["legacy.doc", null, "Grüße aus Zürich: die Rückstände sind gering. 港口检查报告显示防波堤状况良好。"],
  ["legacy.doc", null, "Caisson | Settlement | Verdict\nNumber three | 40 mm | observe quarterly"],
  ["legacy.doc", null, "The earlier survey is kept in the pilot house archive.\nHarbour inspection header line"],
  ["legacy.doc", null, "Remark in a text box about the foghorn"],
  [
    "moorings.xls",
    1,
    "Kittiwake of Ærøskøbing | 2026-03-14 | 1234.5 | TRUE\nbollard | bollard | bollard | bollard | bollard",
  ],
  ["moorings.xls", 1, "Two lines of text | 港口检查报告\nA remark about the fairlead"],
  ["moorings.xls", 3, "Tides & currents\nSlack water lasts nine minutes. | -12.75"],
  ["gates.ppt", 1, "The lock gates of Sørvågen\nGate seals were replaced in spring\nThe culvert — cleaned twice"],
  ["gates.ppt", 1, "Mention the dredger captain by name."],
  ["gates.ppt", 2, "Island loop\neighty-five\n港口检查报告 for the harbour board"],
  ["gates.ppt", 3, "Hidden slide on the budget of sluices"],
  ["keys.eml", null, "Übergabe of the lighthouse keys"],
  ["keys.eml", null, "From: Astrid Keeper <astrid@harbour.test>"],
  ["keys.eml", null, "the spare keys hang behind the chart of the Skagerrak."],
  ["keys.eml", null, "inventory.txt\nThe inventory counts seven lanterns."],
  ["keys.eml", null, "staircase.png"],
  ["notes.md", null, "When the barometer drops quickly, secure the floating pontoon first."],
  ["notes.md", null, "The gatekeeper closes the sluice at half tide."],
  [
    "notes.md",
    null,
    "Check the mooring_lines\nCount the fenders\nBerth | Vessel\n12 | Heron\nlock --sluice=north\nCafé opens",
  ],
  ["vessels.csv", null, 'Heron, Grey | She said "ahoy" twice | 12.5\nAlbatross | two lines | 30'],
  ["station.json", null, 'elevation: 41.5\nautomated: true\nremarks: Nesting "puffins" on the ledge'],
  ["station.json", null, "remarks: Beam visible from Vesterøy"],
  ["tides.txt", null, "High water is at a quarter past six, low water shortly after noon."],
  ["tides-utf16.txt", null, "High water is at a quarter past six, low water shortly after noon."],
  ["boot-1252.txt", null, "Das Boot fährt „später“ nach Malmö – heute nicht."],
];

test.each(SENTENCES)("%s contains on page %s: %s", async (file, page, sentence) => {
  const { end, passages } = await readFixture(file);
  expect(end.status).toBe("indexed");
  expect(passages.filter((passage) => passage.text.includes(sentence)).map((passage) => passage.page)).toEqual([page]);
});

test.each([
  ["report.pdf", 3],
  ["figures.xlsx", 2],
  ["talk.pptx", 2],
  ["moorings.ods", 3],
  ["gates.odp", 3],
  ["moorings.xls", 3],
  ["gates.ppt", 3],
  ["report.docx", null],
] as const)("%s has %s pages", async (file, pages) => {
  expect((await readFixture(file)).end.pageCount).toBe(pages);
});

test.each([
  ["locked.pdf", "encrypted"],
  ["locked.docx", "encrypted"],
  ["locked.odt", "encrypted"],
  ["locked.ods", "encrypted"],
  ["locked.xls", "encrypted"],
  ["locked.doc", "encrypted"],
] as const)("%s ends as %s with a sentence", async (file, status) => {
  const { end, passages } = await readFixture(file);
  expect(end).toMatchObject({ kind: "end", status, passages: 0 });
  expect(end.detail).toMatch(/^[A-Z].+\.$/);
  expect(passages).toEqual([]);
});

describe("the bytes decide the format", () => {
  test("even if the name says otherwise", async () => {
    const pdf = await readDocument(fixture("report.pdf"), "report.txt", "text/plain");
    expect(pdf.end.pageCount).toBe(3);
    const docx = await readDocument(fixture("report.docx"), "report.xlsx");
    expect(docx.text).toContain("sapphire lens");
  });

  test("a picture with the name of a text file is unsupported", async () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
    expect((await readDocument(png, "letter.txt", "text/plain")).end.status).toBe("unsupported");
  });

  test("names distinguish the text formats", async () => {
    const html = "<p>Fish &amp; chips</p>";
    expect((await readDocument(html, "menu.html")).text).toBe("Fish & chips");
    expect((await readDocument(html, "menu.txt")).text).toBe(html);
    expect((await readDocument(html, "menu", "text/html; charset=utf-8")).text).toBe("Fish & chips");
  });

  test("an empty file is empty", async () => {
    expect((await readDocument("", "empty.txt")).end.status).toBe("empty");
  });
});

describe("the content of a document", () => {
  test("RTF groups of a character style keep their text", async () => {
    const rtf =
      "{\\rtf1\\ansi{\\*\\cs15\\i the sapphire lens}{\\*\\ts11 in a table}{\\*\\generator LibreOffice;} turns\\par}";
    expect((await readDocument(rtf, "a.rtf")).text).toBe("the sapphire lensin a table turns");
  });

  test("a DOCX without words has no text, and a PDF without words is a scan", async () => {
    const empty = await readDocument(docxOf("<w:p/>"), "a.docx");
    expect(empty.end).toMatchObject({ status: "empty", detail: "The file contains no text." });
    const scan = await readDocument(
      pdfOf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
      ),
      "a.pdf",
    );
    expect(scan.end).toMatchObject({ status: "recognizing", pageCount: 1, passages: 0 });
  });
});

const docxOf = (body: string): Uint8Array =>
  zipSync({
    "[Content_Types].xml": strToU8(
      '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
    "word/document.xml": strToU8(`<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>`),
  });
