/**
 * BM25F (Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.6):
 * term counts of the fields are weighted and normalised by length before they saturate together.
 */
export const BM25F = {
  /** How soon repetitions of a word stop to matter. */
  k1: 1.5,
  /** A word in the title counts as much as this many in the body. */
  titleWeight: 4,
  /** How much the length of a field matters, 0 to 1. */
  titleB: 0.3,
  bodyB: 0.6,
} as const;

/** What a word that only begins with the one typed counts, beside the word itself. */
export const PREFIX_WEIGHT = 0.5;

/** Occurrences of words that begin with one that was typed; further ones, in the order of the alphabet, do not count. */
export const PREFIX_POSTINGS = 20_000;

/** Fewer results than this that hold every word, and those that hold some of them are added. */
export const FEW_RESULTS = 10;

/** Results a query has at most, over all its pages. */
export const MOST_RESULTS = 1_000;

/** Passages one document contributes. */
export const CONTENTS_A_DOCUMENT = 3;
