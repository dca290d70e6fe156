import { createHash } from "node:crypto";
import { latin1 } from "../../../platform/latin1";
import { MAX_PDF_STREAM_BYTES } from "../../limits";
import { Unreadable } from "../extracted";
import { inflatedSize } from "./inflated-size";
import { textOf } from "./pdf-notes";
import { type Dictionary, Name, PdfObjects, type PdfValue, Reference, WorkLimitExceeded } from "./pdf-objects";
import { inflated } from "./pdf-streams";

/** A file within another file. */
export interface AttachedFile {
  /** "" if it has none. */
  fileName: string;
  /** As the outer file declares it, or "". */
  mediaType: string;
  /** Its bytes. Null if they are stored in a way that is not read. */
  read(): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** Steps from a page or a node of names to its kids that are followed. Real files have a few thousand. */
const MAX_NODES = 50_000;

/**
 * Lists the files that a PDF has attached to itself (the name tree `EmbeddedFiles`) and to its pages (annotations
 * `FileAttachment`), in this order (ISO 32000-2, 7.11). At most `most` are listed. Bytes are given only if they were packed by
 * Flate or not at all: filters of pictures claim any size.
 * @throws Unreadable encrypted or too-large.
 */
export async function filesOfPdf(bytes: Uint8Array, most: number): Promise<AttachedFile[]> {
  try {
    const objects = await PdfObjects.of(bytes);
    if (objects.isEncrypted)
      throw new Unreadable("encrypted", "The PDF is encrypted. Save it without a password to take its files out.");
    const found: AttachedFile[] = [];
    const seen = new Set<number>();
    const add = (specification: PdfValue | undefined): void => {
      const given = objects.dictionary(specification);
      const streams = objects.dictionary(given?.get("EF"));
      const reference = streams?.get("UF") ?? streams?.get("F");
      // Each stream is looked for once, because its end can be far away.
      if (found.length === most || !(reference instanceof Reference) || seen.has(reference.number)) return;
      seen.add(reference.number);
      const attached = given && fileOf(objects, bytes, given, reference);
      if (attached !== null) found.push(attached);
    };
    const root = objects.dictionary(objects.root);
    const names = objects.dictionary(root?.get("Names"))?.get("EmbeddedFiles") ?? null;
    for await (const node of nodesOf(objects, names)) {
      const pairs = objects.resolve(node.get("Names"));
      if (Array.isArray(pairs)) for (let n = 1; n < pairs.length && found.length < most; n += 2) add(pairs[n]);
    }
    for await (const page of nodesOf(objects, root?.get("Pages") ?? null)) {
      const annotations = objects.resolve(page.get("Annots"));
      for (const one of Array.isArray(annotations) ? annotations : []) {
        const annotation = objects.dictionary(one);
        const kind = objects.resolve(annotation?.get("Subtype"));
        if (kind instanceof Name && kind.name === "FileAttachment") add(annotation?.get("FS"));
      }
    }
    return found;
  } catch (thrown) {
    if (!(thrown instanceof WorkLimitExceeded)) throw thrown;
    throw new Unreadable("too-large", "The PDF has more objects than the service reads.");
  }
}

/** The nodes of a tree, each once, in their order. */
async function* nodesOf(objects: PdfObjects, top: PdfValue): AsyncGenerator<Dictionary> {
  const waiting: PdfValue[] = [top];
  const seen = new Set<number>();
  let visited = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node instanceof Reference && seen.has(node.number)) continue;
    if (node instanceof Reference) seen.add(node.number);
    if (++visited > MAX_NODES) throw new WorkLimitExceeded();
    await objects.breathe();
    const dictionary = objects.dictionary(node);
    if (dictionary === null) continue;
    yield dictionary;
    const kids = objects.resolve(dictionary.get("Kids"));
    if (!Array.isArray(kids)) continue;
    objects.spend(kids.length);
    waiting.push(...kids.toReversed());
  }
}

const md5Of = (bytes: Uint8Array): string => latin1(createHash("md5").update(bytes).digest());

/** The file of a file specification, whose stream is `reference`. Null without such a stream. */
function fileOf(
  objects: PdfObjects,
  bytes: Uint8Array,
  specification: Dictionary,
  reference: Reference,
): AttachedFile | null {
  const stream = objects.stream(reference, bytes);
  if (stream === null) return null;
  const type = objects.resolve(stream.dictionary.get("Subtype"));
  const about = objects.dictionary(stream.dictionary.get("Params"));
  const size = objects.resolve(about?.get("Size"));
  const checksum = objects.resolve(about?.get("CheckSum"));
  /** Whether the bytes are those that the writer of the PDF attached, as far as it says so. */
  const isWhole = (file: Uint8Array): boolean =>
    (typeof size !== "number" || size === file.length) && (checksum === null || checksum === md5Of(file));
  return {
    fileName:
      textOf(objects, objects.resolve(specification.get("UF"))) ||
      textOf(objects, objects.resolve(specification.get("F"))),
    mediaType: type instanceof Name ? type.name : "",
    read: async () => {
      const filters = objects.resolve(stream.dictionary.get("Filter"));
      const [filter, ...others] = (Array.isArray(filters) ? filters : [filters]).map((one) => objects.resolve(one));
      if (others.length > 0 || objects.resolve(stream.dictionary.get("DecodeParms")) !== null) return null;
      if (filter === null || filter === undefined) return isWhole(stream.data) ? Uint8Array.from(stream.data) : null;
      if (!(filter instanceof Name) || !["FlateDecode", "Fl"].includes(filter.name)) return null;
      const unpackedSize = await inflatedSize(stream.data, MAX_PDF_STREAM_BYTES);
      if (unpackedSize > MAX_PDF_STREAM_BYTES) return null;
      const unpacked = inflated(stream.data, unpackedSize);
      return unpacked.length === unpackedSize && isWhole(unpacked) ? Uint8Array.from(unpacked) : null;
    },
  };
}
