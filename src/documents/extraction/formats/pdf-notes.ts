import { MAX_PDF_NOTES_LENGTH, MAX_PDF_WITH_NOTES_BYTES } from "../../limits";
import { type Dictionary, Name, PdfObjects, type PdfValue, Reference, WorkLimitExceeded } from "./pdf-objects";

/** Form values and comments of a PDF, by the object number of their page. */
export type PdfNotes = ReadonlyMap<number, readonly string[]>;

const [HIDDEN, PASSWORD, PUSH_BUTTON] = [1 << 1, 1 << 13, 1 << 16];
/** Parents of a field that its name and value may come from, including the field itself. */
const MAX_ANCESTORS = 16;
/** Annotations that are not comments. A popup repeats the text of its comment. A widget is a form field. */
const NO_COMMENTS = new Set(["Link", "Popup", "Widget"]);

/**
 * Reads form values and comments from the objects of a PDF, which `decryptPdf` and `screenPdf` have made safe. pdf.js
 * would make all annotations of a page at once, without a bound. A file that reaches a bound keeps the notes found until
 * then. A file above `MAX_PDF_WITH_NOTES` has none.
 */
export async function readPdfNotes(bytes: Uint8Array): Promise<PdfNotes> {
  const notes = new Map<number, string[]>();
  if (bytes.length > MAX_PDF_WITH_NOTES_BYTES) return notes;
  try {
    const objects = await PdfObjects.of(bytes);
    try {
      await collect(objects, notes);
    } finally {
      await objects.breathe();
    }
  } catch (thrown) {
    if (!(thrown instanceof WorkLimitExceeded)) throw thrown;
  }
  return notes;
}

async function collect(objects: PdfObjects, notes: Map<number, string[]>): Promise<void> {
  const waiting: PdfValue[] = [objects.dictionary(objects.root)?.get("Pages") ?? null];
  const seen = new Set<number>();
  let length = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!(node instanceof Reference) || seen.has(node.number)) continue;
    seen.add(node.number);
    await objects.breathe();
    const dictionary = objects.dictionary(node);
    const kids = objects.resolve(dictionary?.get("Kids"));
    if (Array.isArray(kids)) objects.spend(kids.length);
    if (Array.isArray(kids)) for (const kid of kids) waiting.push(kid);
    const annotations = objects.resolve(dictionary?.get("Annots"));
    if (!Array.isArray(annotations)) continue;
    const texts = new Set<string>();
    for (const annotation of new Set(annotations.map((one) => objects.dictionary(one)))) {
      await objects.breathe();
      const text = annotation === null ? null : noteOf(objects, annotation);
      if (text === null) continue;
      length += text.length;
      if (length > MAX_PDF_NOTES_LENGTH) throw new WorkLimitExceeded();
      texts.add(copyOf(text));
    }
    if (texts.size > 0) notes.set(node.number, [...texts]);
  }
}

/** The text of an annotation with its author or field name; null where it is empty or hidden. */
function noteOf(objects: PdfObjects, annotation: Dictionary): string | null {
  const kind = nameOf(objects.resolve(annotation.get("Subtype")));
  if (kind === null || (numberOf(objects.resolve(annotation.get("F"))) & HIDDEN) !== 0) return null;
  if (kind === "Widget") return fieldOf(objects, annotation);
  if (NO_COMMENTS.has(kind)) return null;
  return labelled(
    textOf(objects, objects.resolve(annotation.get("T"))),
    textOf(objects, objects.resolve(annotation.get("Contents"))),
  );
}

function fieldOf(objects: PdfObjects, widget: Dictionary): string | null {
  const line: Dictionary[] = [];
  for (
    let at: Dictionary | null = widget;
    at !== null && line.length < MAX_ANCESTORS;
    at = objects.dictionary(at.get("Parent"))
  )
    line.push(at);
  const inherited = (key: string): PdfValue => objects.resolve(line.find((field) => field.has(key))?.get(key));
  const names = line
    .map((field) => textOf(objects, objects.resolve(field.get("T"))).trim())
    .filter((name) => name !== "");
  const label = textOf(objects, inherited("TU")) || names.reverse().join(" ");
  const flags = numberOf(inherited("Ff"));
  const value = inherited("V");
  switch (nameOf(inherited("FT"))) {
    case "Tx":
      return (flags & PASSWORD) === 0 ? labelled(label, textOf(objects, value)) : null;
    case "Ch":
      return labelled(label, chosen(objects, value, inherited("Opt")));
    case "Btn": {
      const state = nameOf(objects.resolve(widget.get("AS"))) ?? nameOf(value);
      return (flags & PUSH_BUTTON) !== 0 || state === null || state === "Off" ? null : labelled(label, state);
    }
    default:
      return null;
  }
}

/** The chosen options, with the labels that the list shows. */
function chosen(objects: PdfObjects, value: PdfValue, options: PdfValue): string {
  const shown = new Map<string, string>();
  for (const option of Array.isArray(options) ? options : []) {
    const pair = objects.resolve(option);
    if (Array.isArray(pair))
      shown.set(textOf(objects, objects.resolve(pair[0])), textOf(objects, objects.resolve(pair[1])));
  }
  const values = (Array.isArray(value) ? value : [value]).map((one) => textOf(objects, objects.resolve(one)));
  return values.map((one) => shown.get(one) ?? one).join(", ");
}

const labelled = (label: string, text: string): string | null =>
  text.trim() === "" ? null : label.trim() === "" ? text : `${label.trim()}: ${text}`;

const nameOf = (value: PdfValue): string | null => (value instanceof Name ? value.name : null);
const numberOf = (value: PdfValue): number => (typeof value === "number" ? value : 0);

/** The characters of the bytes 0x80 to 0xa0 in PDFDocEncoding. */
const PDF_CHARACTERS = Array.from("•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž €");

/** Copies a text. A substring would keep the text of the whole file in memory. */
const copyOf = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text));

/** Decodes a text string (ISO 32000-2, 7.9.2.2): UTF-16 or UTF-8 with a byte-order mark, otherwise PDFDocEncoding. */
export function textOf(objects: PdfObjects, value: PdfValue): string {
  if (typeof value !== "string") return "";
  objects.spend(value.length);
  const encoding = value.startsWith("\xfe\xff")
    ? "utf-16be"
    : value.startsWith("\xff\xfe")
      ? "utf-16le"
      : value.startsWith("\xef\xbb\xbf")
        ? "utf-8"
        : null;
  if (encoding === null)
    return value.replace(/[\x80-\xa0]/g, (char) => PDF_CHARACTERS[char.charCodeAt(0) - 0x80] ?? " ");
  return new TextDecoder(encoding).decode(Uint8Array.from(value, (char) => char.charCodeAt(0)));
}
