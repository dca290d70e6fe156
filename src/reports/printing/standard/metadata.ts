import type { PdfFile } from "./file";
import { LANGUAGE_TAG } from "./structure";
import { type Dict, Ref, Text, textOf, UnknownForm, type Value, wordsOf } from "./syntax";

/* The description of a PDF that PDF/A and PDF/UA ask for, and the file that it has in it. */

/** A time in PDF syntax, as long as the browser's own: `D:20261121073006+00'00'`. */
export const pdfDate = (ms: number): string => `D:${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)}+00'00'`;

/** What a PDF says of itself. */
interface Description {
  title: string;
  language: string;
  creator: string;
  producer: string;
  /** Milliseconds. */
  madeAt: number;
  /** It conforms to PDF/A-3b; it conforms to PDF/UA-1. */
  isArchivable: boolean;
  isAccessible: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A text in XML. Characters that XML does not have are left out. */
const escaped = (words: string): string =>
  words
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? "");

/** PDF/A asks for the description of a name that it does not know itself (ISO 19005-3, 6.6.2.3). */
const SCHEMA = `<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of ISO 14289</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
`;

/** The metadata of a PDF as XMP. */
function xmpOf({ title, language, creator, producer, madeAt, isArchivable, isAccessible }: Description): string {
  const date = new Date(madeAt).toISOString().replace(/\.\d+Z$/, "+00:00");
  const claims = [
    ...(isArchivable ? ["<pdfaid:part>3</pdfaid:part>", "<pdfaid:conformance>B</pdfaid:conformance>"] : []),
    ...(isAccessible ? ["<pdfuaid:part>1</pdfuaid:part>"] : []),
  ];
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>${escaped(language)}</rdf:li></rdf:Bag></dc:language>
<xmp:CreatorTool>${escaped(creator)}</xmp:CreatorTool>
<xmp:CreateDate>${date}</xmp:CreateDate>
<xmp:ModifyDate>${date}</xmp:ModifyDate>
<pdf:Producer>${escaped(producer)}</pdf:Producer>
${claims.map((claim) => `${claim}\n`).join("")}</rdf:Description>
${isAccessible ? SCHEMA : ""}</rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`;
}

/** The name of the colours of a browser. */
const COLOURS = "sRGB IEC61966-2.1";

/** The primaries and the white of sRGB, adapted to D50 (ICC.1:2004-10, and IEC 61966-2-1). */
const POINTS = {
  wtpt: [0.9642, 1, 0.8249],
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const;
/** The tone curve of sRGB as a parametric curve of type 3: g, a, b, c, d. */
const CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
/** From D65 to D50 by the Bradford transform. */
const ADAPTATION = [1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168];

const HEADER_BYTES = 128;

/** The ICC profile of sRGB (version 4.2), made from the numbers of its standard. */
function srgbProfile(): Uint8Array<ArrayBuffer> {
  const fixed = (value: number): number[] => {
    const whole = Math.round(value * 65_536) >>> 0;
    return [whole >>> 24, (whole >>> 16) & 255, (whole >>> 8) & 255, whole & 255];
  };
  const number = (value: number): number[] => fixed(value / 65_536);
  const chars = (words: string): number[] => [...words].map((char) => char.charCodeAt(0));
  const words = (text: string): number[] => [
    ...chars("mluc"),
    ...[0, 1, 12].flatMap(number),
    ...chars("enUS"),
    ...[text.length * 2, 28].flatMap(number),
    ...chars(text).flatMap((code) => [0, code]),
  ];
  const curve = [...chars("para"), ...number(0), 0, 3, 0, 0, ...CURVE.flatMap(fixed)];
  const tags: [string, number[]][] = [
    ["desc", words(COLOURS)],
    ["cprt", words("No copyright, use freely")],
    ...Object.entries(POINTS).map(([name, xyz]): [string, number[]] => [
      name,
      [...chars("XYZ "), ...number(0), ...xyz.flatMap(fixed)],
    ]),
    ["chad", [...chars("sf32"), ...number(0), ...ADAPTATION.flatMap(fixed)]],
    ["rTRC", curve],
    ["gTRC", curve],
    ["bTRC", curve],
  ];
  const table: number[] = number(tags.length);
  const data: number[] = [];
  const start = HEADER_BYTES + 4 + tags.length * 12;
  const places = new Map<number[], number>();
  for (const [name, content] of tags) {
    const at = places.get(content) ?? start + data.length;
    if (!places.has(content)) {
      places.set(content, at);
      data.push(...content, ...Array((4 - (content.length % 4)) % 4).fill(0));
    }
    table.push(...chars(name), ...number(at), ...number(content.length));
  }
  const header = [
    ...number(start + data.length),
    ...number(0),
    ...[4, 0x20, 0, 0],
    ...chars("mntrRGB XYZ "),
    // The day on which the standard was published.
    ...[1999, 10, 18, 0, 0, 0].flatMap((part) => [part >> 8, part & 255]),
    ...chars("acsp"),
    ...Array(28).fill(0),
    ...[0.9642, 1, 0.8249].flatMap(fixed),
  ];
  return Uint8Array.from([...header, ...Array(HEADER_BYTES - header.length).fill(0), ...table, ...data]);
}

/** What a PDF says of itself. */
interface Said {
  /** The title and the language for a page without its own. */
  title: string;
  language: string;
  /** Milliseconds. */
  madeAt: number;
  isArchivable: boolean;
  isAccessible: boolean;
}

/** Writes the title, the language, the colours and the metadata of a PDF into its catalogue. @throws UnknownForm */
export async function describe(
  file: PdfFile,
  catalogue: Dict,
  { title, language, madeAt, isArchivable, isAccessible }: Said,
): Promise<void> {
  const infoRef = file.trailer.get("Info");
  if (!(infoRef instanceof Ref)) throw new UnknownForm("the PDF has another end");
  const info = file.dict(infoRef);
  const wordsIn = (key: string): string => {
    const held = info.get(key);
    return held instanceof Text ? wordsOf(held).trim() : "";
  };
  if (wordsIn("Title") === "") file.set(infoRef.number, info.set("Title", textOf(title)));
  const own = catalogue.get("Lang");
  const spoken = own instanceof Text && LANGUAGE_TAG.test(wordsOf(own)) ? wordsOf(own) : language;
  catalogue.set("Lang", textOf(spoken));
  catalogue.set("MarkInfo", new Map([["Marked", true]]));
  catalogue.set("ViewerPreferences", new Map([["DisplayDocTitle", true]]));
  const profile = file.add();
  await file.setPacked(profile.number, new Map([["N", 3]]), srgbProfile());
  const intent: Dict = new Map<string, Value>([
    ["Type", "/OutputIntent"],
    ["S", "/GTS_PDFA1"],
    ["OutputConditionIdentifier", new Text(`(${COLOURS})`)],
    ["Info", new Text(`(${COLOURS})`)],
    ["DestOutputProfile", profile],
  ]);
  catalogue.set("OutputIntents", [intent]);
  const xmp = xmpOf({
    title: wordsIn("Title"),
    language: spoken,
    creator: wordsIn("Creator"),
    producer: wordsIn("Producer"),
    madeAt,
    isArchivable,
    isAccessible,
  });
  const metadata = new Map<string, Value>([
    ["Type", "/Metadata"],
    ["Subtype", "/XML"],
  ]);
  catalogue.set("Metadata", file.add(metadata, new TextEncoder().encode(xmp)));
}

/** A file that a PDF has in it. */
export interface Attached {
  /** Letters, digits and points. */
  fileName: string;
  description: string;
  json: string;
}

/** Attaches the data of a report to its PDF as an associated file (ISO 19005-3, 6.8, and ISO 32000-1, 7.11.4). */
export async function attach(
  file: PdfFile,
  catalogue: Dict,
  { fileName, description, json }: Attached,
  madeAt: number,
): Promise<void> {
  const content = new TextEncoder().encode(json);
  const stream = file.add();
  const head: Dict = new Map<string, Value>([
    ["Type", "/EmbeddedFile"],
    ["Subtype", "/application#2Fjson"],
    [
      "Params",
      new Map<string, Value>([
        ["Size", content.length],
        ["ModDate", new Text(`(${pdfDate(madeAt)})`)],
      ]),
    ],
  ]);
  await file.setPacked(stream.number, head, content);
  const specification = file.add(
    new Map<string, Value>([
      ["Type", "/Filespec"],
      ["F", new Text(`(${fileName})`)],
      ["UF", textOf(fileName)],
      ["Desc", textOf(description.toWellFormed())],
      ["AFRelationship", "/Data"],
      [
        "EF",
        new Map([
          ["F", stream],
          ["UF", stream],
        ]),
      ],
    ]),
  );
  const names = file.dict(catalogue.get("Names"));
  names.set("EmbeddedFiles", new Map([["Names", [new Text(`(${fileName})`), specification]]]));
  catalogue.set("Names", names);
  catalogue.set("AF", [specification]);
}
