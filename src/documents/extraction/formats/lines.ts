import { charsetOfType } from "../charset";
import { decoded, detectEncoding, endOfSlice } from "../decode";
import type { Ending, Extracted, ExtractionInput, Extractor } from "../extracted";
import { TEXT_BYTES_A_SLICE } from "../limits";
import { Paragraphs } from "../paragraphs";

/** Text of a line-based format as it streams by; one is made for each slice. */
export interface LineReader {
  push(text: string): void;
  /** Hands on what is still open at the end of the slice. */
  end(): void;
}

const MIB = 1024 * 1024;

/**
 * An extractor of a format that can be read from any line on, in slices of 8 MiB.
 * `sample` is the beginning of the file, whichever slice is read.
 */
export const lineExtractor = (open: (paragraphs: Paragraphs, sample: string) => LineReader): Extractor =>
  async function* (input: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
    const { source } = input;
    const encoding = await detectEncoding(source, charsetOfType(input.contentType));
    const sample = new TextDecoder(encoding).decode(await source.read(0, 64 * 1024));
    const end = await endOfSlice(source, encoding, from, TEXT_BYTES_A_SLICE);
    const paragraphs = new Paragraphs();
    const reader = open(paragraphs, sample);
    for await (const text of decoded(source, encoding, from, end)) {
      reader.push(text);
      yield* paragraphs.take();
    }
    reader.end();
    paragraphs.end();
    yield* paragraphs.take();
    if (end < source.sizeBytes)
      yield { kind: "checkpoint", at: end, done: Math.ceil(end / MIB), total: Math.ceil(source.sizeBytes / MIB) };
    return { pageCount: null };
  };

/** Characters of a line that is kept while its end is awaited. */
const LONGEST_LINE = 64 * 1024;

/** Gives whole lines on; a longer one in pieces. */
export const byLine = (line: (text: string) => void): LineReader => {
  let open = "";
  return {
    push(text) {
      const lines = (open + text).split(/\r\n|\n|\r/);
      open = lines.pop() ?? "";
      for (const each of lines) line(each);
      if (open.length > LONGEST_LINE) {
        line(open);
        open = "";
      }
    },
    end: () => line(open),
  };
};
