import { strToU8, zipSync } from "fflate";
import { HOSTILE_PDFS } from "./hostile-pdfs";
import { ascii, type HostileFile, MIB, many } from "./hostile-pieces";
import { docOf, manyRecords, msgOf, pptOf, record, xlsOf } from "./old-office";

/** An office file. Its parts unpack to 100 times the file, because a part without a pattern fills it up. */
const office = (type: string, parts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> => {
  const unpacked = Object.values(parts).reduce((sum, text) => sum + text.length, 0);
  return Uint8Array.from(
    zipSync(
      {
        "[Content_Types].xml": strToU8(
          `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
        ),
        ...Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
        "filling.bin": [noise(Math.ceil(unpacked / 100)), { level: 0 }],
      },
      { level: 9 },
    ),
  );
};

/** Bytes without a pattern, the same in each run. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
}

const RELATIONS = (list: readonly string[]) =>
  `<Relationships>${list.map((each, n) => `<Relationship Id="r${n + 1}" Type="x/${each.split(" ")[0]}" Target="${each.split(" ")[1]}"/>`).join("")}</Relationships>`;
const word = (body: string): Uint8Array<ArrayBuffer> =>
  office("wordprocessingml.document", {
    "word/document.xml": `<w:document xmlns:w="u"><w:body>${body}</w:body></w:document>`,
  });

/** An OpenDocument file whose body has this content. */
const openDocument = (kind: string, content: string, share: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    zipSync({
      mimetype: strToU8(`application/vnd.oasis.opendocument.${kind}`),
      "content.xml": strToU8(`<o:d><o:body><o:${kind}>${content}</o:${kind}></o:body></o:d>`),
      "filling.bin": [noise(MIB * share), { level: 0 }],
    }),
  );

/** A book of one chapter. */
const book = (chapter: string, share: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    zipSync({
      mimetype: strToU8("application/epub+zip"),
      "META-INF/container.xml": strToU8('<c><rootfile full-path="b.opf"/></c>'),
      "b.opf": strToU8('<p><item id="a" href="c" media-type="text/html"/><itemref idref="a"/></p>'),
      c: strToU8(chapter),
      "filling.bin": [noise(MIB * share), { level: 0 }],
    }),
  );

const mail = (headers: string, body: string) => ascii(`From: a@b.test\nSubject: x\n${headers}\n\n${body}`);
const multipart = (body: string) => mail("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x", body);

/** A corpus of hostile files of all formats whose text the service reads. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  { name: "empty-runs.docx", bytes: (share) => word(many("<w:p><w:r><w:t/></w:r></w:p>", 120 * MIB * share)) },
  { name: "words.docx", bytes: (share) => word(many("<w:p><w:r><w:t>a b</w:t></w:r></w:p>", 120 * MIB * share)) },
  {
    name: "one-paragraph.docx",
    bytes: (share) => word(`<w:p>${many("<w:r><w:t>a. </w:t></w:r>", 60 * MIB * share)}</w:p>`),
  },
  { name: "attributes.docx", bytes: (share) => word(many('<w:p a="1" b="2" c="3" d="4"/>', 120 * MIB * share)) },
  {
    name: "deep.docx",
    bytes: (share) =>
      word(`${"<w:p>".repeat(900)}${many("<w:r><w:t>a</w:t></w:r>", 60 * MIB * share)}${"</w:p>".repeat(900)}`),
  },
  {
    name: "cells.xlsx",
    bytes: (share) =>
      office("spreadsheetml.sheet", {
        "_rels/.rels": RELATIONS(["officeDocument xl/workbook.xml"]),
        "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": RELATIONS(["worksheet worksheets/sheet1.xml", "sharedStrings strings.xml"]),
        "xl/strings.xml": `<sst>${many("<si><t>a</t></si>", 20 * MIB * share)}</sst>`,
        "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${many('<row><c t="s"><v>1</v></c><c><v>1.5</v></c></row>', 90 * MIB * share)}</sheetData></worksheet>`,
      }),
  },
  {
    name: "slides.pptx",
    bytes: (share) =>
      office("presentationml.presentation", {
        "_rels/.rels": RELATIONS(["officeDocument ppt/presentation.xml"]),
        "ppt/presentation.xml":
          '<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": RELATIONS(["slide slides/slide1.xml"]),
        "ppt/slides/slide1.xml": `<p:sld>${many("<a:p><a:r><a:t>a</a:t></a:r></a:p>", 110 * MIB * share)}</p:sld>`,
      }),
  },
  {
    name: "spaces.odt",
    bytes: (share) => openDocument("text", many("<t:p><t:s/>a<t:span>b</t:span></t:p>", 100 * MIB * share), share),
  },
  {
    name: "cells.ods",
    bytes: (share) =>
      openDocument(
        "spreadsheet",
        `<t:table>${many('<t:table-row t:number-rows-repeated="1048576"><t:table-cell t:number-columns-repeated="16384"><t:p>a</t:p></t:table-cell><t:table-cell o:value-type="float" o:value="1.5"/></t:table-row>', 100 * MIB * share)}</t:table>`,
        share,
      ),
  },
  {
    name: "sheets.ods",
    bytes: (share) => openDocument("spreadsheet", many('<t:table t:name="a"/>', 100 * MIB * share), share),
  },
  {
    name: "slides.odp",
    bytes: (share) =>
      openDocument(
        "presentation",
        many("<d:page><o:annotation><t:p>a</t:p></o:annotation><t:p>b</t:p></d:page>", 100 * MIB * share),
        share,
      ),
  },
  {
    name: "tags.epub",
    bytes: (share) => book(many("<p><b>a</b></p>", 100 * MIB * share), share),
  },
  {
    name: "attributes.epub",
    bytes: (share) => book(`<p ${many("a ", 15 * MIB * share)}>b`, share),
  },
  { name: "html.msg", bytes: (share) => Uint8Array.from(msgOf(many("<p><b></b></p>", 16 * MIB * share))) },
  {
    name: "cells.xls",
    bytes: (share) =>
      Uint8Array.from(xlsOf(1, manyRecords(record(0x27e, 1, 0, 0, 0, 0, 0, 6, 0, 0, 0), 90 * MIB * share))),
  },
  {
    name: "sheets.xls",
    bytes: (share) =>
      Uint8Array.from(xlsOf(Math.ceil(5_000 * share), manyRecords(record(0x201, 0, 0, 0, 0, 0, 0), 64 * 1024))),
  },
  { name: "fields.doc", bytes: (share) => Uint8Array.from(docOf(`\x13${many("a\x13\x15", 60 * MIB * share)}`)) },
  {
    name: "pieces.doc",
    bytes: (share) => Uint8Array.from(docOf(`\x13${"a".repeat(1_000)}\x15`, Math.ceil(300_000 * share))),
  },
  {
    name: "texts.ppt",
    bytes: (share) => Uint8Array.from(pptOf(1, Array<string>(Math.ceil(5_000_000 * share)).fill("a"))),
  },
  {
    name: "slides.ppt",
    bytes: (share) => Uint8Array.from(pptOf(Math.ceil(5_000 * share), Array<string>(7_000).fill("*"))),
  },
  { name: "groups.rtf", bytes: (share) => ascii(`{\\rtf1 ${many("{\\b a}", 60 * MIB * share)}}`) },
  { name: "unicode.rtf", bytes: (share) => ascii(`{\\rtf1 ${many("\\u8364?", 60 * MIB * share)}}`) },
  { name: "tags.html", bytes: (share) => ascii(many("<p><b></b></p>", 60 * MIB * share)) },
  { name: "attributes.html", bytes: (share) => ascii(`<p ${many("a ", 15 * MIB * share)}>b`) },
  { name: "entities.html", bytes: (share) => ascii(many("&amp;&#x41;", 40 * MIB * share)) },
  { name: "lists.json", bytes: (share) => ascii(many('[{"a":"b"}]', 40 * MIB * share)) },
  { name: "escapes.json", bytes: (share) => ascii(`"${many("\\u0041", 40 * MIB * share)}"`) },
  { name: "cells.csv", bytes: (share) => ascii(many('a,"",b\n', 40 * MIB * share)) },
  { name: "links.md", bytes: (share) => ascii(many("- [ ] *x* [a](b) `c`\n", 40 * MIB * share)) },
  { name: "brackets.md", bytes: (share) => ascii(many("[", 40 * MIB * share)) },
  { name: "lines.txt", bytes: (share) => ascii(many("x y\n\n", 40 * MIB * share)) },
  { name: "signs.txt", bytes: (share) => ascii(many(". a", 40 * MIB * share)) },
  { name: "letters.txt", bytes: (share) => ascii(many("a", 40 * MIB * share)) },
  { name: "umlauts.txt", bytes: (share) => Uint8Array.from(strToU8(many("\xe4\xf6 \xfc\n", 20 * MIB * share), true)) },
  { name: "html.eml", bytes: (share) => mail("Content-Type: text/html", many("<p><b></b></p>\n", 16 * MIB * share)) },
  { name: "lines.eml", bytes: (share) => mail("Content-Type: text/plain", many("a\n", 16 * MIB * share)) },
  { name: "parts.eml", bytes: (share) => multipart(`${many("--x\n\nw\n", 16 * MIB * share)}--x--\n`) },
  {
    name: "attachments.eml",
    bytes: (share) =>
      multipart(
        `${many("--x\nContent-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\na,b\n", 16 * MIB * share)}--x--\n`,
      ),
  },
  { name: "boundaries.eml", bytes: (share) => multipart(many("--x\n", 16 * MIB * share)) },
  {
    name: "quoted.eml",
    bytes: (share) =>
      mail(
        "Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable",
        many("=41=42=\n", 16 * MIB * share),
      ),
  },
  {
    name: "base64.eml",
    bytes: (share) =>
      mail("Content-Type: text/html\nContent-Transfer-Encoding: base64", many("PGI+PC9iPg==\n", 16 * MIB * share)),
  },
  {
    name: "nested.eml",
    bytes: (share) =>
      mail(
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b0",
        `${Array.from({ length: 60 }, (_, n) => `--b${n}\nContent-Type: multipart/mixed; boundary=b${n + 1}\n\n`).join("")}${many("--b60\n\nw\n", 15 * MIB * share)}`,
      ),
  },
  { name: "headers.eml", bytes: (share) => ascii(`From: a@b.test\n${many("X-A: b\n", MIB * share)}\nword`) },
  { name: "addresses.eml", bytes: (share) => mail(`To: ${many("a <a@b.test>, ", MIB * share)}`, "word") },
  { name: "encoded.eml", bytes: (share) => mail(`X: ${many("=?utf-8?q?a?= ", MIB * share)}`, "word") },
  {
    name: "messages.eml",
    bytes: (share) =>
      multipart(`${many("--x\nContent-Type: message/rfc822\n\nSubject: a\n\nw\n", 16 * MIB * share)}--x--\n`),
  },
  {
    name: "8-bit.eml",
    bytes: (share) =>
      Uint8Array.from(
        strToU8(`From: a@b.test\nContent-Type: text/plain\n\n${many("\xe4\xf6 \xfc\n", 16 * MIB * share)}`, true),
      ),
  },
  ...HOSTILE_PDFS,
];
