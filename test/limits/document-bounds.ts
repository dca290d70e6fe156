import { bytesSource, Unreadable } from "../../src/documents/extraction/extracted";
import { parsedLength } from "../../src/documents/extraction/formats/eml-text";
import { isTextPage } from "../../src/documents/extraction/formats/pdf-page";
import { readRelationships } from "../../src/documents/extraction/formats/relationships";
import { readXml } from "../../src/documents/extraction/xml";
import { Archive } from "../../src/documents/extraction/zip/archive";
import * as documents from "../../src/documents/limits";
import { legible } from "../../src/documents/recognition/text";
import type { BoundRow } from "./bounds";

const utf8 = (text: string) => new TextEncoder().encode(text);

async function* chunks(text: string) {
  yield utf8(text);
}

/** Whether a file is not refused with this status. Other faults of a file that is cut short do not count. */
const isNot = async (status: "too-large" | "damaged", work: Promise<unknown>): Promise<boolean> => {
  try {
    await work;
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return thrown.status !== status;
  }
};

/** The end of an archive that claims to have a directory of this many entries and bytes. */
const archiveEnd = (entries: number, bytes: number) => {
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, entries, true);
  end.setUint32(12, bytes, true);
  return Archive.open(bytesSource(new Uint8Array(end.buffer)));
};

/** An archive whose parts all have this text. */
const archiveOf = (text: string) => ({ read: () => chunks(text) }) as unknown as Archive;

const isRead = (text: string): boolean => parsedLength(utf8(text)) === text.length;

const words = (confidences: readonly number[]) =>
  legible({ words: confidences.map((confidence) => ({ confidence, text: "a" })) } as unknown as Parameters<
    typeof legible
  >[0]).words.length;

export const documentBoundRows: readonly BoundRow[] = [
  {
    limit: "MAX_NESTING_DEPTH",
    value: documents.MAX_NESTING_DEPTH,
    accepts: (n) => isNot("damaged", readXml(chunks("<a>".repeat(n) + "</a>".repeat(n)), {})),
  },
  {
    limit: "MAX_TOKEN_LENGTH",
    value: documents.MAX_TOKEN_LENGTH,
    // A comment is one run. It is counted in pieces, so its limit is not exact.
    step: 256 * 1024,
    accepts: (n) => isNot("too-large", readXml(chunks(`<a/><!--${"x".repeat(n - 11)}-->`), {})),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) =>
      isNot("too-large", readRelationships(archiveOf(`<r>${"<Relationship/>".repeat(n)}</r>`), "word/document.xml")),
  },
  {
    limit: "MAX_ARCHIVE_ENTRIES",
    value: documents.MAX_ARCHIVE_ENTRIES,
    accepts: (n) => isNot("too-large", archiveEnd(n, 1)),
  },
  {
    limit: "MAX_DIRECTORY_BYTES",
    value: documents.MAX_DIRECTORY_BYTES,
    accepts: (n) => isNot("too-large", archiveEnd(1, n)),
  },
  { limit: "MAX_MAIL_LINES", value: documents.MAX_MAIL_LINES, accepts: (n) => isRead("a\n".repeat(n)) },
  { limit: "MAX_MAIL_PARTS", value: documents.MAX_MAIL_PARTS, accepts: (n) => isRead("--a\n".repeat(n)) },
  {
    limit: "MIN_PAGE_LETTERS",
    value: documents.MIN_PAGE_LETTERS,
    isMinimum: true,
    accepts: (n) => isTextPage(["a.", "b-".repeat(n - 1)]),
  },
  {
    limit: "MIN_WORD_CONFIDENCE",
    value: documents.MIN_WORD_CONFIDENCE,
    isMinimum: true,
    accepts: (n) => words([n, 99]) === 2,
  },
  {
    limit: "MIN_PAGE_CONFIDENCE",
    value: documents.MIN_PAGE_CONFIDENCE,
    isMinimum: true,
    accepts: (n) => words([n, n]) === 2,
  },
];
