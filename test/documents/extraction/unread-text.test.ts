import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { fixture, readDocument, readFixture } from "./read";

/** An archive of parts. */
const packed = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));

const types = (type: string): string =>
  `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

const relationships = (...targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships>${targets.map(([type, target], i) => `<Relationship Id="r${i}" Type="urn:/${type}" Target="${target}"/>`).join("")}</Relationships>`;

const docx = (body: string, styles = ""): Uint8Array =>
  packed({
    "[Content_Types].xml": types("wordprocessingml.document"),
    "word/document.xml": `<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": relationships(["styles", "styles.xml"]),
    "word/styles.xml": `<w:styles xmlns:w="urn:w">${styles}</w:styles>`,
  });

const run = (text: string, properties = ""): string => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;

describe("readings above ideographs", () => {
  test("of a DOCX", async () => {
    expect((await readFixture("ruby.docx")).text).toBe("会場は東京です rubydocx");
    expect((await readFixture("vanish.docx")).text).toContain("東京タワーzz");
  });

  test("of a field, as earlier word processors write them", async () => {
    const field = (code: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code.slice(0, 9)}</w:instrText></w:r><w:r><w:instrText>${code.slice(9)}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const body = `<w:p>${run("会場は")}${field("EQ \\* jc2 \\* hps10 \\o\\ad(\\s\\up 9(とう),東)")}${run("京")}${field("PAGE")}</w:p>`;
    expect((await readDocument(docx(body))).text).toBe("会場は東京");
    const rtf =
      "{\\rtf1\\ansi\\uc1 A{\\field{\\*\\fldinst {EQ \\\\* jc2 \\\\o\\\\ad(\\\\s\\\\up 9(\\u12363?),\\u28450?)}}{\\fldrslt }}\\u23383?{\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}}";
    expect((await readDocument(rtf, "a.rtf")).text).toBe("A漢字7");
  });

  test("of HTML, with and without end tags", async () => {
    const { text } = await readFixture("ruby.html");
    expect(text).toBe("点検の漢字です rubyhtml\n橋脚の検査");
    const open = "<p>再<ruby>点<rp>(<rt>てん<rp>)</ruby><ruby>検<rtc><rt>けん</rtc></ruby>する";
    expect((await readDocument(open, "a.html")).text).toBe("再点検する");
  });

  test("of mail", async () => {
    const mail =
      "From: a@b.test\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n<p><ruby>橋<rt>きょう</rt></ruby><ruby>脚<rt>きゃく</rt></ruby>の検査</p>\n";
    expect((await readDocument(mail, "a.eml")).text).toContain("橋脚の検査");
  });

  test.each([
    ["a.md", "# <ruby>橋<rp>(</rp><rt>きょう</rt><rp>)</rp>脚<rt>きゃく</rt></ruby>の検査", "橋脚の検査"],
    ["a.md", "{橋脚|きょう|きゃく}の検査 and <b>bold</b>ly", "橋脚の検査 and boldly"],
    ["a.txt", "｜橋脚《きょうきゃく》の検査、電車《でんしゃ》", "橋脚の検査、電車"],
    ["a.txt", "《橋脚》の本", "《橋脚》の本"],
  ])("of %s: %s", async (name, source, expected) => {
    expect((await readDocument(source, name)).text).toBe(expected);
  });
});

describe("tracked changes", () => {
  test("moved text of a DOCX is read once, where it is now", async () => {
    const { text } = await readFixture("moved.docx");
    expect(text).toBe("Start.\nNothing else here.\nThe valve seventeen was replaced.");
  });

  test("a deleted end of a paragraph joins it with the next", async () => {
    const body = `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${run("The foun")}</w:p><w:p>${run("dation")}</w:p>`;
    expect((await readDocument(docx(body))).text).toBe("The foundation");
  });

  test("deleted and moved text of RTF is left out", async () => {
    const rtf = "{\\rtf1 kept {\\deleted gone}{\\mvf moved away}\\deleted gone too\\deleted0  and kept\\par}";
    expect((await readDocument(rtf, "a.rtf")).text).toBe("kept and kept");
  });
});

describe("hidden text", () => {
  test("of a run", async () => {
    expect((await readFixture("hidden.docx")).text).toBe("visibleword");
    const body = `<w:p>${run("shown", '<w:vanish w:val="0"/>')}${run(" and hidden", "<w:vanish/>")}</w:p>`;
    expect((await readDocument(docx(body))).text).toBe("shown");
  });

  test("of styles, which toggle", async () => {
    const styles =
      '<w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Child"><w:basedOn w:val="Base"/></w:style><w:style w:styleId="Clear"><w:basedOn w:val="Base"/><w:rPr><w:vanish w:val="false"/></w:rPr></w:style>';
    const of = (paragraph: string, character: string, text: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${paragraph}"/></w:pPr>${run(text, `<w:rStyle w:val="${character}"/>`)}</w:p>`;
    const body = [
      of("", "Child", "one"),
      of("Child", "", "two"),
      of("Child", "Base", "both"),
      of("Clear", "", "clear"),
    ].join("");
    expect((await readDocument(docx(body, styles))).text).toBe("both\nclear");
  });

  test("the hidden mark of a paragraph hides nothing, and a hidden run hides its text box", async () => {
    const mark = `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run("seen")}</w:p>`;
    const box = `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:txbxContent><w:p>${run("in the box")}</w:p></w:txbxContent></w:r>${run("after")}</w:p>`;
    expect((await readDocument(docx(mark + box))).text).toBe("seen\nafter");
  });

  test("of ODT: characters, paragraphs, sections, fields and based styles", async () => {
    const odt = packed({
      mimetype: "application/vnd.oasis.opendocument.text",
      "styles.xml":
        '<s:doc><o:styles><s:style s:name="Secret"><s:text-properties t:display="none"/></s:style></o:styles></s:doc>',
      "content.xml":
        '<o:doc><o:automatic-styles><s:style s:name="T1"><s:text-properties t:display="none"/></s:style><s:style s:name="P1" s:parent-style-name="Secret"/></o:automatic-styles><o:body><o:text><t:p>seen<t:span t:style-name="T1"> hidden</t:span> still</t:p><t:p t:style-name="P1">paragraph</t:p><t:section t:display="none"><t:p>section</t:p></t:section><t:p><t:hidden-paragraph t:is-hidden="true">field</t:hidden-paragraph>last</t:p></o:text></o:body></o:doc>',
    });
    expect((await readDocument(odt, "a.odt")).text).toBe("seen still\nlast");
  });

  test("of RTF", async () => {
    const rtf = "{\\rtf1 seen{\\v  hidden} still\\v  gone\\v0  back\\v  gone\\plain  end\\par}";
    expect((await readDocument(rtf, "a.rtf")).text).toBe("seen still back end");
  });

  test("of HTML and of the first lines that mail hides", async () => {
    const html =
      '<body style="display:none"><div style="color:red; DISPLAY : none">preview <br>line</div><p hidden>gone</p><img hidden alt="pixel"><p hidden="until-found">folded</p><p>seen</p>';
    expect((await readDocument(html, "a.html")).text).toBe("folded\nseen");
  });

  test("of XLSX: hidden sheets have numbers but no text", async () => {
    const sheet = (text: string) =>
      `<worksheet><sheetData><row hidden="1"><c t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`;
    const xlsx = packed({
      "[Content_Types].xml": types("spreadsheetml.sheet"),
      "xl/workbook.xml":
        '<workbook xmlns:r="urn:r"><sheets><sheet name="Lists" state="veryHidden" r:id="r0"/><sheet name="Dues" r:id="r1"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels": relationships(["worksheet", "a.xml"], ["worksheet", "b.xml"]),
      "xl/a.xml": sheet("salaries"),
      "xl/b.xml": sheet("filtered row"),
    });
    const { passages } = await readDocument(xlsx, "a.xlsx");
    expect(passages.map(({ page, text }) => [page, text])).toEqual([[2, "Dues\nfiltered row"]]);
  });

  test("of PPTX: hidden shapes", async () => {
    const shape = (text: string, hidden = "") =>
      `<p:sp><p:nvSpPr><p:cNvPr id="1" ${hidden}/></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
    const pptx = packed({
      "[Content_Types].xml": types("presentationml.presentation"),
      "ppt/presentation.xml": '<p:p xmlns:r="urn:r"><p:sldIdLst><p:sldId r:id="r0"/></p:sldIdLst></p:p>',
      "ppt/_rels/presentation.xml.rels": relationships(["slide", "s.xml"]),
      "ppt/s.xml": `<p:sld xmlns:p="urn:p" xmlns:a="urn:a">${shape("seen")}${shape("gone", 'hidden="1"')}<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden="true"/></p:nvGrpSpPr>${shape("in a hidden group")}</p:grpSp>${shape("last")}</p:sld>`,
    });
    expect((await readDocument(pptx, "a.pptx")).text).toBe("seen\nlast");
  });
});

describe("zero bytes of a loss of power", () => {
  test.each([
    ["power-loss.txt", ["before nulzzword after controlzz"]],
    ["power-loss-log.txt", ["start pumpwordx", "2026-01-02 after power loss"]],
  ])("%s is text", async (name, parts) => {
    const { end, text } = await readDocument(fixture(name), name);
    expect(end.status).toBe("indexed");
    for (const part of parts) expect(text).toContain(part);
  });

  test.each([
    ["events.csv", "time,state\n10:00,open\n", "\n10:05,closed\n", "10:05 | closed"],
    ["events.json", '{"state":"open"}\n', '\n{"state":"closed"}', "state: closed"],
    ["events.log", "открыто в 10:00\n", "\nзакрыто в 10:05\n", "закрыто в 10:05"],
    ["notes.md", "# Open\n", "\n# Closed\n", "Closed"],
    ["page.html", "<p>Open</p>", "<p>Closed</p>", "Closed"],
  ])("in %s", async (name, before, after, expected) => {
    const { end, text } = await readDocument(`${before}${"\0".repeat(4096)}${after}`, name);
    expect([end.status, text.includes(expected)]).toEqual(["indexed", true]);
  });

  test("zeros alone are an empty text by their name, and unknown otherwise", async () => {
    expect((await readDocument("\0".repeat(512), "a.log")).end.status).toBe("empty");
    expect((await readDocument("\0".repeat(512), "a.bin")).end.status).toBe("unsupported");
  });

  test("other files with zeros are no text", async () => {
    const field = (value: string, length: number) => value.padEnd(length, "\0");
    const member = (name: string) =>
      `${field(name, 100)}${field("0000644", 8)}${field("", 16)}${field("00000000020", 12).repeat(2)}${field("011234", 8)}0${field("", 100)}${field("ustar", 255)}`;
    expect((await readDocument(member("notes.txt"), "a.tar")).end.status).toBe("unsupported");
    const records = Array.from({ length: 200 }, (_, n) => `key${n}\x00value${n}\x00`).join("");
    expect((await readDocument(records, "a.db")).end.status).toBe("unsupported");
  });
});
