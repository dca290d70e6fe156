import { strToU8, zlibSync } from "fflate";
import { ascii, type HostileFile, MIB, many } from "./hostile-pieces";

/** A stream of a PDF: packed, because small files are easier to send. */
const packed = (content: string | Uint8Array, more = ""): Uint8Array[] => {
  const data = zlibSync(typeof content === "string" ? strToU8(content, true) : content, { level: 6 });
  return [ascii(`<< /Filter /FlateDecode ${more} /Length ${data.length} >> stream\n`), data, ascii("\nendstream")];
};
const plain = (value: string): Uint8Array[] => [ascii(value)];

/** A PDF of these objects, numbered from 1, with a table of their places. Object 1 is the catalogue. */
function pdf(objects: readonly Uint8Array[][], { table = true } = {}): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [ascii("%PDF-1.7\n")];
  let at = 9;
  const add = (piece: Uint8Array) => {
    pieces.push(piece);
    at += piece.length;
  };
  const places = objects.map((object, n) => {
    const place = at;
    for (const piece of [ascii(`${n + 1} 0 obj `), ...object, ascii(" endobj\n")]) add(piece);
    return place;
  });
  const start = at;
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  if (table) add(ascii(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  add(ascii(`trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table ? start : 0}\n%%EOF`));
  const whole = new Uint8Array(at);
  let to = 0;
  for (const piece of pieces) {
    whole.set(piece, to);
    to += piece.length;
  }
  return whole;
}

const HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const CATALOGUE = plain("<< /Type /Catalog /Pages 2 0 R >>");
/** A PDF of one page: its content, the rest of its resources, and objects from number 6 on. */
const page = (
  content: string | Uint8Array,
  { resources = "", font = HELVETICA, objects = [] as Uint8Array[][] } = {},
): Uint8Array<ArrayBuffer> =>
  pdf([
    CATALOGUE,
    plain("<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>"),
    plain(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ${resources} >> >>`,
    ),
    packed(content),
    plain(font),
    ...objects,
  ]);
const text = (operators: string) => `BT /F1 12 Tf 50 700 Td ${operators} ET`;
const mapped = (body: string) => [
  packed(
    `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${body} endcmap`,
  ),
];
const COMPOSITE =
  "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [ << /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >> ] >>";
/** A chain of `levels` forms; each draws the next one ten times. */
const forms = (levels: number, content: string) =>
  Array.from({ length: levels }, (_, n) =>
    packed(
      n === levels - 1 ? content : "/X Do ".repeat(10),
      `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> /XObject << /X ${n + 7} 0 R >> >>`,
    ),
  );

/** PDFs that are slow to read. */
export const HOSTILE_PDFS: readonly HostileFile[] = [
  { name: "empty-texts.pdf", bytes: (share) => page(text(many("() Tj ", 15 * MIB * share))) },
  { name: "texts.pdf", bytes: (share) => page(text(many("(a) Tj ", 15 * MIB * share))) },
  { name: "hidden-texts.pdf", bytes: (share) => page(text(`-9000 -9000 Td ${many("(abc) Tj ", 15 * MIB * share)}`)) },
  { name: "spaces.pdf", bytes: (share) => page(text(many("( ) Tj ", 15 * MIB * share))) },
  { name: "numbers.pdf", bytes: (share) => page(many("1 2 m 3 4 l S ", 15 * MIB * share)) },
  { name: "states.pdf", bytes: (share) => page(many("q ", 15 * MIB * share)) },
  { name: "unknown-words.pdf", bytes: (share) => page(many("a ", 15 * MIB * share)) },
  { name: "missing-operands.pdf", bytes: (share) => page(many("w ", 15 * MIB * share)) },
  { name: "one-string.pdf", bytes: (share) => page(text(`(${many("a", 15 * MIB * share)}) Tj`)) },
  { name: "one-list.pdf", bytes: (share) => page(text(`[ ${many("(a) 1 ", 15 * MIB * share)}] TJ`)) },
  { name: "comments.pdf", bytes: (share) => page(many("%\n", 15 * MIB * share)) },
  { name: "inline-pictures.pdf", bytes: (share) => page(many("BI /W 1 /H 1 ID a EI ", 15 * MIB * share)) },
  { name: "open-picture.pdf", bytes: (share) => page(`BI /W 1 /H 1 ID ${many("EI a ", 15 * MIB * share)}`) },
  { name: "fonts.pdf", bytes: (share) => page(`BT ${many("/F1 1 Tf /F1 2 Tf ", 8 * MIB * share)} ET`) },
  {
    name: "forms.pdf",
    bytes: () => page("/X Do", { resources: "/XObject << /X 6 0 R >>", objects: forms(8, text("(a) Tj")) }),
  },
  {
    name: "forms-of-little-text.pdf",
    bytes: (share) =>
      page("/X Do", {
        resources: "/XObject << /X 6 0 R >>",
        objects: forms(6, text(`(a) Tj ${many("() Tj ", 200_000 * share)}`)),
      }),
  },
  {
    name: "map-of-one-range.pdf",
    bytes: () =>
      page(text("<0001> Tj"), {
        font: COMPOSITE,
        objects: mapped("1 beginbfrange <00000000> <00ffffff> <0041> endbfrange"),
      }),
  },
  {
    name: "map-of-ranges.pdf",
    bytes: (share) =>
      page(text("<0001> Tj"), {
        font: COMPOSITE,
        objects: mapped(many("1 beginbfrange <0000> <ffff> <0041> endbfrange ", 15 * MIB * share)),
      }),
  },
  {
    name: "map-of-codes.pdf",
    bytes: (share) =>
      page(text("<0001> Tj"), {
        font: COMPOSITE,
        objects: mapped(`1 beginbfchar ${many("<0001> <0041> ", 15 * MIB * share)}endbfchar`),
      }),
  },
  {
    name: "map-of-words.pdf",
    bytes: (share) => page(text("<0001> Tj"), { font: COMPOSITE, objects: mapped(many("a ", 15 * MIB * share)) }),
  },
  {
    name: "type-1-font.pdf",
    bytes: (share) =>
      page(text("(a) Tj"), {
        font: "<< /Type /Font /Subtype /Type1 /BaseFont /A /FontDescriptor << /Type /FontDescriptor /FontName /A /FontFile 6 0 R >> >>",
        objects: [
          packed(
            `%!PS-AdobeFont-1.0\n/Encoding 256 array ${many("dup 65 /A put\n", 7 * MIB * share)} currentfile eexec ${many("/CharStrings 1 dict dup begin /A 4 RD abcd ND ", 7 * MIB * share)}`,
            `/Length1 ${Math.floor(7 * MIB * share)} /Length2 ${Math.floor(7 * MIB * share)} /Length3 0`,
          ),
        ],
      }),
  },
  {
    name: "true-type-font.pdf",
    bytes: (share) =>
      page(text("(a) Tj"), {
        font: "<< /Type /Font /Subtype /TrueType /BaseFont /A /FontDescriptor << /Type /FontDescriptor /FontName /A /FontFile2 6 0 R >> >>",
        objects: [packed(trueType(15 * MIB * share))],
      }),
  },
  {
    name: "widths.pdf",
    bytes: (share) =>
      page(text("(a) Tj"), {
        font: `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 0 /LastChar 9999999 /Widths 6 0 R >>`,
        objects: [plain(`[ ${many("1 ", 8 * MIB * share)}]`)],
      }),
  },
  {
    name: "bombs.pdf",
    bytes: (share) =>
      pdf([
        CATALOGUE,
        plain("<< /Type /Pages /Count 0 /Kids [] >>"),
        ...Array.from({ length: Math.ceil(31 * share) }, () => packed(new Uint8Array(15 * MIB))),
      ]),
  },
  {
    name: "streams.pdf",
    bytes: (share) =>
      pdf([
        CATALOGUE,
        plain("<< /Type /Pages /Count 0 /Kids [] >>"),
        ...Array.from({ length: Math.ceil(90_000 * share) }, () => packed("a")),
      ]),
  },
  {
    name: "runs.pdf",
    bytes: (share) =>
      pdf([
        CATALOGUE,
        plain("<< /Type /Pages /Count 0 /Kids [] >>"),
        [
          ascii("<< /Filter [ /ASCIIHexDecode /FlateDecode ] >> stream\n"),
          ascii(many("41", 15 * MIB * share)),
          ascii(">\nendstream"),
        ],
      ]),
  },
  { name: "object-stream.pdf", bytes: (share) => objectStream(15 * MIB * share) },
  {
    name: "no-table.pdf",
    bytes: (share) =>
      pdf(
        [
          CATALOGUE,
          plain("<< /Type /Pages /Count 0 /Kids [] >>"),
          ...Array.from({ length: Math.ceil(400_000 * share) }, () => plain("<<>>")),
        ],
        { table: false },
      ),
  },
  {
    name: "repeated-object.pdf",
    bytes: (share) => ascii(`%PDF-1.7\n${many("3 0 obj << /A [ ", 4 * MIB * share)} trailer << /Root 1 0 R >>`),
  },
  {
    name: "deep-dictionaries.pdf",
    bytes: (share) =>
      ascii(
        `%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj 2 0 obj ${many("<< /A ", 8 * MIB * share)} endobj trailer << /Root 1 0 R >>`,
      ),
  },
  {
    name: "large-dictionary.pdf",
    bytes: (share) =>
      pdf([
        CATALOGUE,
        plain("<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>"),
        plain(`<< /Type /Page /Parent 2 0 R /A << ${many("/a 1 ", 15 * MIB * share)} >> >>`),
      ]),
  },
  {
    name: "annotations.pdf",
    bytes: (share) =>
      pdf([
        CATALOGUE,
        plain("<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>"),
        plain(
          `<< /Type /Page /Parent 2 0 R /Annots [ ${many("<< /Subtype /Text /Contents (a) >> ", 7 * MIB * share)} ] >>`,
        ),
      ]),
  },
  {
    name: "pages.pdf",
    bytes: (share) =>
      pdf([
        CATALOGUE,
        plain(`<< /Type /Pages /Count 10000 /Kids [ ${many("3 0 R ", 60_000 * share)}] >>`),
        plain(
          "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        ),
        packed(text("(a) Tj")),
        plain(HELVETICA),
      ]),
  },
  { name: "encrypt-words.pdf", bytes: (share) => ascii(`%PDF-1.7\n${many("/Encrypt 5 0 R ", 15 * MIB * share)}`) },
];

/** A TrueType font of one large glyph table whose glyphs are empty. */
function trueType(length: number): Uint8Array {
  const tables = {
    head: 54,
    hhea: 36,
    maxp: 32,
    hmtx: 262_140,
    loca: 262_140,
    glyf: Math.max(0, length - 1_000_000),
    cmap: 262_144,
  };
  const font = new Uint8Array(
    12 + 16 * Object.keys(tables).length + Object.values(tables).reduce((sum, size) => sum + size, 0),
  );
  const view = new DataView(font.buffer);
  view.setUint32(0, 0x00010000);
  view.setUint16(4, Object.keys(tables).length);
  let at = 12 + 16 * Object.keys(tables).length;
  for (const [n, [name, size]] of Object.entries(tables).entries()) {
    font.set(strToU8(name), 12 + 16 * n);
    view.setUint32(12 + 16 * n + 8, at);
    view.setUint32(12 + 16 * n + 12, size);
    if (name === "head") view.setUint16(at + 18, 1_000);
    if (name === "hhea") view.setUint16(at + 34, 65_535);
    if (name === "maxp") view.setUint32(at, 0x00010000);
    if (name === "maxp") view.setUint32(at + 4, 0xffff0000);
    at += size;
  }
  return font;
}

/** A PDF whose objects are in one packed stream of this size. */
function objectStream(length: number): Uint8Array<ArrayBuffer> {
  const count = Math.max(1, Math.floor(length / 20));
  let [index, body] = ["", ""];
  const pieces: string[] = [];
  for (let n = 0; n < count; n++) {
    pieces.push(`${n + 10} ${n * 8} `);
  }
  index = pieces.join("");
  body = "<< >>   ".repeat(count);
  return pdf(
    [
      CATALOGUE,
      plain("<< /Type /Pages /Count 1 /Kids [ 10 0 R ] >>"),
      packed(index + body, `/Type /ObjStm /N ${count} /First ${index.length}`),
    ],
    { table: false },
  );
}
