import type { RateLimit } from "../platform/http/rate-limit";
import { DAY, HOUR, MINUTE, SECOND } from "../platform/time";

/*
 * Limits of documents. The code that uses a limit enforces it. A document that exceeds a limit of the extraction gets a
 * text status such as `too-large`. Without the limits it could end the isolate.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum extracted text of one document, UTF-16 units. The rest is not indexed. */
export const MAX_TEXT_LENGTH = 20 * MIB;
/** Maximum number of passages of one document. */
export const MAX_PASSAGES = 60_000;
/** Maximum number of passages of a section: consecutive passages of one page, which are stored and ranked together. */
export const MAX_PASSAGES_PER_SECTION = 8;
/**
 * Maximum size of a PDF that is read in the Worker, bytes; a browser reads a larger one. A slice holds the whole file in
 * memory. Together with the garbage of earlier slices, 126 pages of 16 MB cost 67 MB above a warm Worker, and 260 pages of
 * 33 MB cost 133 MB, which is more than an isolate has.
 */
export const MAX_PDF_BYTES = 16 * MIB;
/** Maximum unpacked size of one stream of a PDF, and of all its streams, bytes. Pictures are not unpacked. */
export const MAX_PDF_STREAM_BYTES = 16 * MIB;
export const MAX_PDF_UNPACKED_BYTES = 512 * MIB;
/** Maximum number of streams and of pages of a PDF. */
export const MAX_PDF_STREAMS = 100_000;
export const MAX_PDF_PAGES = 10_000;
/** Number of PDF pages that one slice reads. */
export const PDF_PAGES_PER_SLICE = 50;
/** Number of slides that one slice reads. */
export const SLIDES_PER_SLICE = 200;
/** A slice ends after the sheet or the chapter in which its text exceeds this length, UTF-16 units. */
export const SHEET_TEXT_PER_SLICE = 2 * MIB;
/** Maximum text of one PDF page, UTF-16 units. A longer page draws itself in a loop. */
export const MAX_PDF_PAGE_TEXT_LENGTH = 200_000;
/** Maximum number of operators and glyphs of one PDF page. A form counts as often as the page draws it. */
export const MAX_PDF_PAGE_OPERATORS = 5_000_000;
/**
 * Maximum length of the form values and comments of a PDF, UTF-16 units, and maximum size of a PDF whose form values and
 * comments are read, bytes: reading them holds the file twice.
 */
export const MAX_PDF_NOTES_LENGTH = MIB;
export const MAX_PDF_WITH_NOTES_BYTES = 8 * MIB;
/** Number of bytes of a mail that are parsed. The text of a larger mail comes before its attachments, so it is found. */
export const MAX_MAIL_BYTES = 16 * MIB;
/** Maximum number of lines and of parts of a mail that are parsed. The parser keeps some hundred bytes for each. */
export const MAX_MAIL_LINES = 300_000;
export const MAX_MAIL_PARTS = 10_000;
/** Maximum size of a text attachment that is read with its mail, decoded bytes. */
export const MAX_MAIL_ATTACHMENT_BYTES = MIB;
/** Number of bytes of plain text, CSV or Markdown that one slice reads. */
export const TEXT_BYTES_PER_SLICE = 8 * MIB;
/** Maximum unpacked size of an archive's entries in one slice, bytes. */
export const MAX_UNPACKED_BYTES = 128 * MIB;
/**
 * Maximum ratio of the unpacked to the packed bytes of an archive, and number of unpacked bytes from which on it counts. Office
 * documents unpack to 10 to 50 times their size.
 */
export const MAX_UNPACKED_RATIO = 200;
export const MIN_RATIO_BYTES = 8 * MIB;
/** Maximum number of entries of an archive, and maximum size of its directory, bytes. */
export const MAX_ARCHIVE_ENTRIES = 20_000;
export const MAX_DIRECTORY_BYTES = 8 * MIB;
/** Maximum number of blocks of 1 MiB that are fetched of a compound file, whose sectors can be anywhere in it. */
export const MAX_SCATTERED_BLOCKS = 400;
/** Maximum number of parts (sheets, slides, notes, headers, chapters) of one document. */
export const MAX_OFFICE_PARTS = 5_000;
/** Maximum length of a table that is kept while an office document is read (shared strings, sheet names), characters. */
export const MAX_TABLE_LENGTH = 24 * MIB;
/** Maximum depth of elements in XML and of groups in RTF. */
export const MAX_NESTING_DEPTH = 1_000;
/** Maximum number of characters of XML between two events of the parser, which keeps them in memory. */
export const MAX_TOKEN_LENGTH = 4 * MIB;
/** Number of compressed bytes that the inflater gets at once. They can unpack to a thousand times as many. */
export const INFLATE_CHUNK_BYTES = 8 * KIB;
/** Maximum length of one paragraph, UTF-16 units. Longer text is split. */
export const MAX_PARAGRAPH_LENGTH = 16 * KIB;

/** Time in which a change must refer to written objects. */
export const PENDING_OBJECT_LIFETIME_MS = HOUR;

/**
 * Maximum size of a picture whose derivatives are made within the request that completes the upload. It takes some tens
 * of milliseconds and at most 20 MB of memory.
 */
export const MAX_IMMEDIATE_PIXELS = 1_000_000;

export const MAX_IMMEDIATE_BYTES = 1024 * 1024;

/** Time that the request waits if a worker of the queue has taken the job first. */
export const MAX_DERIVATION_WAIT_MS = 2 * SECOND;

/** Maximum length of a path segment and of a file name, characters. */
export const MAX_SEGMENT_LENGTH = 255;

/** Maximum length of a path with its file name, bytes of UTF-8. An object key has 1,024 bytes; the service adds a prefix. */
export const MAX_FULL_NAME_BYTES = 900;

/** Lifetime of a download address. The permission is checked only when the address is created. */
export const LINK_LIFETIME_MS = 5 * MINUTE;

/** Maximum size of a document, bytes. */
export const MAX_DOCUMENT_BYTES = 2 * 1024 * MIB;
/** Maximum size of a document that is sent in one request, bytes. A larger one is sent in parts. */
export const MAX_WHOLE_UPLOAD_BYTES = 100 * MIB;
/** Maximum size of a document whose text is read, bytes. */
export const MAX_READ_BYTES = 100 * MIB;

/** Maximum number of pictures whose missing derivatives one restoration queues. */
export const MAX_RESTORED_PICTURES = 100;

/* Text recognition */

/**
 * Minimum number of letters and digits with which the own text of a page counts as text. Headers and stamps of
 * scanners have fewer.
 */
export const MIN_PAGE_LETTERS = 100;
/** Minimum number of pixels of all pictures of a PDF in which a page without text can be a scan. A logo has fewer. */
export const MIN_SCANNED_PIXELS = 250_000;
/** Passages of one recognized page. The pages around it leave this much room for them in the reading order. */
export const MAX_PASSAGES_PER_SCANNED_PAGE = 60;

/** Pages of a scan that one slice reads. The renderer's memory grows with each page: 8 pages stay below 600 MB. */
export const SCAN_PAGES_PER_SLICE = 8;
/** A slice begins no page after this time. With the two limits below it stays within the lease of a browser. */
export const RECOGNITION_SLICE_MS = 60 * SECOND;
/** Time to start the engine and to open a document, and time to read one page, both ways up. */
export const OPEN_SCAN_TIMEOUT_MS = 40 * SECOND;
export const RECOGNIZE_PAGE_TIMEOUT_MS = 60 * SECOND;
/**
 * After this number of pages on which the browser crashed or did not end in time, the rest of a document is not read.
 */
export const MAX_LOST_PAGES = 10;
/** Pages of one scan that are read. */
export const MAX_SCAN_PAGES = 1_000;
/** Pages of a large PDF whose own text one slice reads, and time to read one of them. */
export const LARGE_PDF_PAGES_PER_SLICE = 200;
export const READ_PAGE_TEXT_TIMEOUT_MS = 20 * SECOND;
/**
 * Number of browsers that read the own text of large PDFs. Recognition has separate browsers, so this text never
 * waits for scanned pages.
 */
export const TEXT_BROWSERS = 1;
/** Pixels at which a page or photo is read. A larger one is made smaller: A4 at 300 dpi has 8.7 million. */
export const MAX_RECOGNIZED_PIXELS = 12_000_000;
/** Pixels of a photo. The browser needs 6 bytes for each. */
export const MAX_PHOTO_PIXELS = 50_000_000;
/** Pages of a TIFF file that are drawn and read. */
export const MAX_FRAMES = 100;
/** Length of an edge of a page of a HEIC or TIFF file, pixels: a canvas has no more. */
export const MAX_FRAME_EDGE = 32_767;
/** Length of the longer edge of the picture of such a page, pixels, and its size, bytes: as base64 it stays below 1 MiB. */
export const FRAME_PICTURE_EDGE = 2_048;
export const MAX_FRAME_PICTURE_BYTES = 700 * KIB;
/** Pixels of a picture in a PDF. A larger one is left out, as if its page were empty. */
export const MAX_SCAN_PICTURE_PIXELS = 64_000_000;
/** Bytes of one message to the browser. As base64 they stay below 1 MiB. */
export const SCAN_PIECE_BYTES = 512 * KIB;
/** Mean confidence of the words of a page below which it counts as illegible, and of a single word, 0 to 100. */
export const MIN_PAGE_CONFIDENCE = 60;
export const MIN_WORD_CONFIDENCE = 30;
/** Documents that one slice of a resumption queues. */
export const RESUMED_DOCUMENTS_PER_SLICE = 100;

/* Lists, tags and changes of many documents */

/** Documents that one page of a filtered list examines. A page with fewer matches is short, and has a cursor. */
export const MAX_EXAMINED_DOCUMENTS = 5_000;
/** Maximum number of ids on a page of the list that has ids alone. */
export const MAX_LISTED_IDS = 5_000;
/** Documents that one slice of `sort-documents` fills. */
export const SORTED_DOCUMENTS_PER_SLICE = 500;
/** Maximum number of tags of a workspace, and of tags on one document. */
export const MAX_TAGS = 500;
export const MAX_TAGS_PER_DOCUMENT = 20;
/** Maximum length of the name of a tag, characters. */
export const MAX_TAG_NAME_LENGTH = 60;
/** Maximum number of documents that one request changes. D1 takes 1,000 statements in an invocation; each needs up to five. */
export const MAX_CHANGED_DOCUMENTS = 100;

/** Maximum number of documents that one request shares. Each needs two statements. The person is told once for a request. */
export const MAX_SHARED_DOCUMENTS = 300;

/* Folders */

/** Maximum number of folders of a location that people made. Folders of the paths of documents do not count. */
export const MAX_FOLDERS = 5_000;
/** Maximum number of documents of a folder that is moved, deleted or restored within the request. A job changes more. */
export const MAX_IMMEDIATE_FOLDER_DOCUMENTS = 100;
/** Documents that one slice of `change-folder` changes: each needs up to six statements. */
export const FOLDER_DOCUMENTS_PER_SLICE = 50;
/** Rows that one slice of `expire-folders` deletes. */
export const EXPIRED_FOLDERS_PER_SLICE = 500;

/* Documents that come by mail */

/**
 * Maximum size of a mail that becomes documents, bytes with its encoding. Cloudflare takes mails of up to 25 MiB. One slice holds
 * the mail and its decoded attachments: at this size some 60 MB, of the 128 MB that an isolate has.
 */
export const MAX_ARRIVAL_BYTES = 16 * MIB;
/** Maximum size of the headers of a mail, bytes. */
export const MAX_ARRIVAL_HEADER_BYTES = MIB;
/** Maximum number of attachments of a mail. */
export const MAX_ATTACHMENTS = 100;
/** Maximum size of a picture in the text of a mail that is not a document of its own, bytes: logos of signatures are smaller. */
export const MAX_INLINE_PICTURE_BYTES = 100 * KIB;
/** Maximum number of senders that an address lists. */
export const MAX_ALLOWED_SENDERS = 100;
/** Mails that one address takes, and mails that one sender sends to all addresses. The sender's server tries again later. */
export const MAILS_PER_ADDRESS: RateLimit = { limit: 600, windowMs: HOUR };
export const MAILS_PER_SENDER: RateLimit = { limit: 300, windowMs: HOUR };
/** Answers to refused mails that one address gets. */
export const ANSWERS_PER_SENDER: RateLimit = { limit: 10, windowMs: DAY };
/** Time for which arrivals are listed. A repeated delivery within this time makes nothing twice. */
export const ARRIVAL_RETENTION_MS = 30 * DAY;
/** Documents that one slice files: each needs some twenty statements. */
export const FILED_DOCUMENTS_PER_SLICE = 10;
/** Arrivals that one slice of `expire-arrivals` deletes. */
export const EXPIRED_ARRIVALS_PER_SLICE = 500;
/** Pause before a mail whose filing has failed in each try is filed as a whole, without its attachments. */
export const WHOLE_MAIL_DELAY_MS = HOUR;
