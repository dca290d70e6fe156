import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_PDF_STREAM_BYTES, MAX_PDF_STREAMS, MAX_PDF_UNPACKED_BYTES, MIN_SCANNED_PIXELS } from "../../limits";
import { tooLarge } from "../extracted";
import { isZlib } from "./inflated-size";
import { dictionariesBefore, MAX_DICTIONARY_LENGTH, namesOf, valuesOf } from "./pdf-dictionary";
import {
  find,
  isEndOfStream,
  lineAfter,
  PICTURE_FILTERS,
  STREAM,
  StreamEnds,
  tooManyStreams,
  unpackedSize,
} from "./pdf-streams";

/** Work for the dictionary of a stream, in the characters that other parsers read meanwhile. */
const WORK_PER_STREAM = 512;

/**
 * Makes a PDF safe for the extraction, in place. It empties pictures and streams with a picture filter, and counts the
 * unpacked size of all other streams. It finds streams by the word `stream` anywhere in the file, because an object can
 * be at any offset. Call `decryptPdf` first.
 * @returns the number of pixels of all pictures, as far as their dictionaries say it
 * @throws Unreadable too-large if a stream, or all streams together, unpack to too much.
 */
export async function screenPdf(bytes: Uint8Array): Promise<number> {
  const file = { bytes, ends: new StreamEnds(bytes), values: new Map<string, string>(), pixels: 0 };
  let [streams, unpacked] = [0, 0];
  for (let at = find(bytes, STREAM, 0); at >= 0; at = find(bytes, STREAM, at + STREAM.length)) {
    if (isEndOfStream(bytes, at)) continue;
    if (++streams > MAX_PDF_STREAMS) throw tooManyStreams();
    await breathe(WORK_PER_STREAM);
    const size = await screenStream(file, at);
    unpacked += size;
    if (size > MAX_PDF_STREAM_BYTES || unpacked > MAX_PDF_UNPACKED_BYTES)
      throw tooLarge("The PDF unpacks to more data than the service reads. Print it to a new PDF and upload that.");
  }
  return file.pixels;
}

interface PdfFile {
  bytes: Uint8Array;
  ends: StreamEnds;
  /** The values of objects that streams refer to. */
  values: Map<string, string>;
  /** Pixels of the pictures so far. */
  pixels: number;
}

/** The unpacked size of the stream whose word `stream` is at `at`, bytes. 0 for an emptied stream. */
async function screenStream(file: PdfFile, at: number): Promise<number> {
  const { bytes, ends } = file;
  const before = latin1(bytes.subarray(Math.max(0, at - MAX_DICTIONARY_LENGTH), at));
  const start = lineAfter(bytes, at + STREAM.length);
  const dictionaries = dictionariesBefore(before);
  const empty = (): 0 => {
    bytes.fill(0, start, ends.after(start));
    return 0;
  };
  if (dictionaries === null) return empty();
  const chains: string[][] = [];
  for (const dictionary of dictionaries) {
    const values = valuesOf(dictionary, "F|Filter").map((value) => resolved(file, value));
    const filters = values.flatMap(namesOf);
    const unknown = values.some((value) => /\d\s+R$/.test(value));
    const picture = valuesOf(dictionary, "Subtype").includes("/Image");
    if (picture) file.pixels += pixelsOf(dictionary);
    if (picture || unknown || filters.some((filter) => PICTURE_FILTERS.has(filter))) return empty();
    chains.push(...values.map(namesOf));
  }
  const rest = bytes.subarray(start);
  // Data with a zlib header is counted, even if the dictionary does not say that it is packed.
  let size = isZlib(rest) ? await unpackedSize(rest, ["FlateDecode"], MAX_PDF_STREAM_BYTES) : 0;
  for (const chain of chains) {
    if (chain.length === 1 && /^Fl/.test(chain[0] ?? "")) continue;
    size = Math.max(size, await unpackedSize(bytes.subarray(start, ends.after(start)), chain, MAX_PDF_STREAM_BYTES));
  }
  return size;
}

/** Pixels of a picture by its dictionary; many if the dictionary refers to objects for its size. */
function pixelsOf(dictionary: string): number {
  const [width, height] = ["W|Width", "H|Height"].map((name) => Number(valuesOf(dictionary, name)[0] ?? 0));
  const pixels = (width ?? 0) * (height ?? 0);
  return Number.isFinite(pixels) ? pixels : MIN_SCANNED_PIXELS;
}

/** Maximum number of objects that streams refer to for their filters. Real files have a few. */
const MAX_REFERENCED_OBJECTS = 64;

/** A value, or the value of the object that it refers to. */
function resolved({ bytes, values }: PdfFile, value: string): string {
  const [, number] = /^(\d+)\s+\d+\s+R$/.exec(value) ?? [];
  if (number === undefined) return value;
  const known = values.get(number);
  if (known !== undefined) return known;
  if (values.size >= MAX_REFERENCED_OBJECTS) return value;
  const marker = new TextEncoder().encode(`${number} 0 obj`);
  const at = find(bytes, marker, 0);
  const text = at < 0 ? "" : latin1(bytes.subarray(at + marker.length, at + marker.length + 256));
  const found = /^\s*(\[[^\]]*\]|\/[^\s/<>()[\]]+)/.exec(text)?.[1] ?? value;
  values.set(number, found);
  return found;
}
