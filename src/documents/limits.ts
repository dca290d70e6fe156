import { HOUR, MINUTE, SECOND } from "../platform/time";

/*
 * What one document may cost. Each is enforced where it is used; a document that passes one ends in
 * a named state, never in a dead isolate.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Text taken from one document, UTF-16 units; what comes after it is not indexed. */
export const MAX_TEXT_LENGTH = 20 * MIB;
/** Passages of one document. */
export const MAX_PASSAGES = 60_000;
/**
 * A PDF is held whole while a slice reads its pages, bytes. With what earlier slices leave to be collected, 126
 * pages of 16 MB cost 67 MB over a warm Worker, 260 pages of 33 MB cost 133 MB: more than an isolate has.
 */
export const MAX_PDF_BYTES = 16 * MIB;
/** What one stream of a PDF may unpack to, and all of them together, bytes; pictures are not unpacked. */
export const MAX_PDF_STREAM_BYTES = 16 * MIB;
export const MAX_PDF_UNPACKED_BYTES = 512 * MIB;
/** Streams of a PDF, and pages. */
export const MAX_PDF_STREAMS = 100_000;
export const MAX_PDF_PAGES = 10_000;
/** Pages of a PDF that one slice reads. */
export const PDF_PAGES_PER_SLICE = 50;
/** Slides that one slice reads. */
export const SLIDES_PER_SLICE = 200;
/** Text of sheets after which a slice ends with its sheet, UTF-16 units. */
export const SHEET_TEXT_PER_SLICE = 2 * MIB;
/** Text of one PDF page, UTF-16 units: more is a loop. */
export const MAX_PDF_PAGE_TEXT_LENGTH = 200_000;
/** Form values and comments of a PDF, UTF-16 units; and the largest PDF that they are read of, bytes: it is held twice for that. */
export const MAX_PDF_NOTES_LENGTH = MIB;
export const MAX_PDF_WITH_NOTES_BYTES = 8 * MIB;
/** A mail is parsed whole, bytes; of a larger one this much is read: its text comes before its attachments. */
export const MAX_MAIL_BYTES = 16 * MIB;
/** Text attachments of a mail that are read with it, decoded bytes each. */
export const MAX_MAIL_ATTACHMENT_BYTES = MIB;
/** Bytes of plain text, CSV, Markdown, JSON or HTML that one slice reads. */
export const TEXT_BYTES_PER_SLICE = 8 * MIB;
/** Bytes that the entries of one archive may unpack to, in one slice. */
export const MAX_UNPACKED_BYTES = 128 * MIB;
/** Entries of an archive, and the bytes of its directory. */
export const MAX_ARCHIVE_ENTRIES = 20_000;
export const MAX_DIRECTORY_BYTES = 8 * MIB;
/** Parts (sheets, slides, notes, headers) of one office document. */
export const MAX_OFFICE_PARTS = 5_000;
/** Characters of an office document's tables that are kept while it is read: shared strings, relationships, formats. */
export const MAX_TABLE_LENGTH = 24 * MIB;
/** Depth of elements in XML and groups in RTF. */
export const MAX_NESTING_DEPTH = 1_000;
/** Characters of XML or HTML between two events of its parser, which keeps them all in memory. */
export const MAX_TOKEN_LENGTH = 4 * MIB;
/** Bytes of compressed data given to the inflater at once: it may make a thousand times as many of them. */
export const INFLATE_CHUNK_BYTES = 8 * KIB;
/** Longest run of text handed on as one paragraph, UTF-16 units. */
export const MAX_PARAGRAPH_LENGTH = 16 * KIB;

/** How long written derivatives may wait for the change that refers to them. */
export const PENDING_OBJECT_LIFETIME_MS = HOUR;

/** What is made within the request that completes the upload: a few tens of milliseconds, 20 MB at most. */
export const MAX_IMMEDIATE_PIXELS = 1_000_000;

export const MAX_IMMEDIATE_BYTES = 1024 * 1024;

/** How long the request waits for a queue's worker that was quicker to take the job. */
export const MAX_DERIVATION_WAIT_MS = 2 * SECOND;

/** Longest segment of a path and longest file name, bytes of UTF-8. */
export const MAX_SEGMENT_BYTES = 255;

/** Longest path with its file name, bytes of UTF-8: an object key has 1,024, of which the rest is ours. */
export const MAX_FULL_NAME_BYTES = 900;

/** How long a download's address lives: the permission behind it is asked once, when it is made. */
export const LINK_LIFETIME_MS = 5 * MINUTE;

/** Largest document, bytes. */
export const MAX_DOCUMENT_BYTES = 100 * 1024 * 1024;

/** Pictures whose derivatives one restoration has made: those that the deletion came before. */
export const MAX_RESTORED_PICTURES = 100;
