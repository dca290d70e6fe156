import type { Document } from "../../../../../client/src/index.ts";

type TextStatus = Document["textStatus"];

/** The parts of a document that the service can have besides its file. */
interface Parts {
  /** Passages of its text. */
  text: boolean;
  /** Recognized words with their places on the pages. */
  words: boolean;
}

const NOTHING: Parts = { text: false, words: false };
const TEXT: Parts = { text: true, words: false };
const BOTH: Parts = { text: true, words: true };

/** All text statuses of the API: a new one must be added here. A document can have pages with text and scanned pages. */
const PARTS: Readonly<Record<TextStatus, Parts>> = {
  pending: NOTHING,
  indexed: TEXT,
  empty: NOTHING,
  encrypted: NOTHING,
  damaged: NOTHING,
  unsupported: NOTHING,
  "unknown-charset": NOTHING,
  "too-large": TEXT,
  failed: NOTHING,
  recognizing: TEXT,
  recognized: BOTH,
  illegible: NOTHING,
  "recognition-off": BOTH,
  "recognition-limit": BOTH,
};

/** The parts that a document of this text status can have. */
export const partsOf = (status: TextStatus): Parts => PARTS[status];
