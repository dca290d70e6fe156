import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { alone } from "../../../../src/platform/pace";
import { readDocument } from "../../../documents/extraction/read";
import { HOSTILE_FILES } from "../../../support/hostile-files";
import { docOf, manyRecords, msgOf, pptOf, record, xlsOf } from "../../../support/old-office";

const office = (type: string, parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync({
    "[Content_Types].xml": strToU8(
      `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    ),
    ...Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])),
  });

const LENGTH = 4_000_000;
const repeated = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));

/** Files of some 4 MB of markup or text. Packed files have a few KB. */
const HOSTILE: Readonly<Record<string, () => Uint8Array>> = {
  "a.docx": () =>
    office("wordprocessingml.document", {
      "word/document.xml": `<w:document xmlns:w="u"><w:body>${repeated("<w:p><w:r><w:t/></w:r></w:p>")}</w:body></w:document>`,
    }),
  "words.docx": () =>
    office("wordprocessingml.document", {
      "word/document.xml": `<w:document xmlns:w="u"><w:body>${repeated("<w:p><w:r><w:t>a b</w:t></w:r></w:p>")}</w:body></w:document>`,
    }),
  "a.odt": () =>
    zipSync({
      mimetype: strToU8("application/vnd.oasis.opendocument.text"),
      "content.xml": strToU8(`<o:d><o:body><o:text>${repeated("<t:p><t:s/></t:p>")}</o:text></o:body></o:d>`),
    }),
  "a.ods": () =>
    zipSync({
      mimetype: strToU8("application/vnd.oasis.opendocument.spreadsheet"),
      "content.xml": strToU8(
        `<o:d><o:spreadsheet><t:table>${repeated('<t:table-row><t:table-cell o:value-type="float" o:value="1"/></t:table-row>')}</t:table></o:spreadsheet></o:d>`,
      ),
    }),
  "a.odp": () =>
    zipSync({
      mimetype: strToU8("application/vnd.oasis.opendocument.presentation"),
      "content.xml": strToU8(`<o:d><o:presentation>${repeated("<d:page><x:p/></d:page>")}</o:presentation></o:d>`),
    }),
  "a.epub": () =>
    zipSync({
      mimetype: strToU8("application/epub+zip"),
      "META-INF/container.xml": strToU8('<c><rootfile full-path="b"/></c>'),
      b: strToU8('<p><item id="a" href="c" media-type="text/html"/><itemref idref="a"/></p>'),
      c: strToU8(repeated("<p><b></b></p>")),
    }),
  "a.msg": () => msgOf(repeated("<p><b></b></p>")),
  "a.xls": () => xlsOf(1, manyRecords(record(0x201, 0, 0, 0, 0, 0, 0), LENGTH)),
  "sheets.xls": () => xlsOf(4_000, manyRecords(record(0x201, 0, 0, 0, 0, 0, 0), 20_000)),
  "fields.doc": () => docOf(`\x13${repeated("a\x13\x15")}`),
  "pieces.doc": () => docOf(`\x13${"a".repeat(1_000)}\x15`, 100_000),
  "a.ppt": () => pptOf(1, Array<string>(LENGTH / 10).fill("*")),
  "slides.ppt": () => pptOf(4_000, Array<string>(1_000).fill("*")),
  "a.rtf": () => strToU8(`{\\rtf1 ${repeated("{\\b }")}}`),
  "a.html": () => strToU8(repeated("<p><b></b></p>")),
  "a.json": () => strToU8(repeated('[{"a":""}]')),
  "a.csv": () => strToU8(repeated('a,"",b\n')),
  "a.md": () => strToU8(repeated("- [ ] *x*\n")),
  "a.txt": () => strToU8(repeated("x y\n\n")),
  "a.eml": () => strToU8(`From: a@b.test\nSubject: x\nContent-Type: text/html\n\n${repeated("<p><b></b></p>\n")}`),
};

/** Files of the corpus of slow files, a tenth of their full size each. */
const SLOW = HOSTILE_FILES.filter(({ name }) =>
  [
    "empty-texts.pdf",
    "texts.pdf",
    "hidden-texts.pdf",
    "numbers.pdf",
    "fonts.pdf",
    "inline-pictures.pdf",
    "forms-of-little-text.pdf",
    "map-of-ranges.pdf",
    "map-of-words.pdf",
    "streams.pdf",
    "encrypt-words.pdf",
    "no-table.pdf",
    "repeated-object.pdf",
    "lines.eml",
    "parts.eml",
    "nested.eml",
    "messages.eml",
  ].includes(name),
).map(({ name, bytes }) => [name, () => bytes(0.1)] as const);

test.each([...Object.entries(HOSTILE), ...SLOW])("other work goes on while %s is read", async (name, make) => {
  const bytes = make();
  let [ended, turns] = [false, 0];
  const other = (async () => {
    for (; !ended; turns++) await scheduler.wait(0);
  })();
  await readDocument(bytes, name);
  ended = true;
  await other;
  expect(turns).toBeGreaterThanOrEqual(10);
});

test("an archive that unpacks to far more than its size is too large, and its text until there is kept", async () => {
  const bytes = office("wordprocessingml.document", {
    "word/document.xml": `<w:document xmlns:w="u"><w:body><w:p><w:r><w:t>Before.</w:t></w:r></w:p>${"<w:p/>".repeat(3_000_000)}</w:body></w:document>`,
  });
  const { end, text } = await readDocument(bytes, "a.docx");
  expect(end).toMatchObject({ status: "too-large", detail: expect.stringContaining("200 times") });
  expect(text).toBe("Before.");
});

test("slices of one isolate run one after another", async () => {
  let [open, most] = [0, 0];
  const slice = async () => {
    most = Math.max(most, ++open);
    await scheduler.wait(5);
    open--;
    return true;
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map(() => alone(slice)))).toEqual([true, true, true, true, true]);
  expect(most).toBe(1);
});

test("a slice that fails frees its isolate", async () => {
  await expect(alone(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await alone(async () => 1)).toBe(1);
});

/** A file of the corpus of slow files, in its full size or a share of it. */
const slow = (name: string, share = 1) => HOSTILE_FILES.find((each) => each.name === name)?.bytes(share) ?? "";

test("PDFs that are read side by side have a limit of operators each", async () => {
  const [hostile, ordinary, late] = await Promise.all([
    readDocument(slow("forms-of-little-text.pdf"), "hostile.pdf"),
    readDocument(slow("texts.pdf", 0.01), "ordinary.pdf"),
    (async () => {
      await scheduler.wait(100);
      return readDocument(slow("texts.pdf", 0.01), "late.pdf");
    })(),
  ]);
  expect(hostile.end).toMatchObject({ status: "too-large", detail: expect.stringContaining("A page") });
  expect([ordinary.end.status, late.end.status]).toEqual(["indexed", "indexed"]);
});

test.each([
  ["states.pdf", "nested states"],
  ["map-of-one-range.pdf", "a map of 16 million codes"],
  ["one-string.pdf", "a string of 15 MiB"],
  ["one-list.pdf", "a list of millions of strings"],
  ["unknown-words.pdf", "millions of words that are no operators"],
  ["repeated-object.pdf", "one object many times, without an end"],
])("%s, %s, ends with a status", async (name) => {
  const { end } = await readDocument(slow(name), name);
  expect(["recognizing", "indexed", "damaged", "too-large"]).toContain(end.status);
});
