import type { RateLimit } from "../platform/http/rate-limit";
import { MINUTE } from "../platform/time";

/*
 * Requests of one person. Each instance of the service counts for itself: an exact count would cost a write for each
 * request. People never reach these limits; they stop programs that search in a loop.
 */
export const SEARCHES_PER_USER: RateLimit = { limit: 600, windowMs: MINUTE };
export const SUGGESTIONS_PER_USER: RateLimit = { limit: 1_200, windowMs: MINUTE };

/* Guests */

/** Grants of a guest in an organization that are looked up one by one. With more, the guest gets an index, see the trigger `grants_open_guest`. */
export const GRANTS_WITHOUT_INDEX = 32;

/* Queries */

/** Characters of a term that are read. The rest is ignored. */
export const MAX_TERM_LENGTH = 10_000;
/** Tags of a query that count. */
export const MAX_TAG_CONDITIONS = 8;

/** Distinct words (and exclusions), and phrases of a query. Further words and phrases are ignored. */
export const MAX_WORDS = 64;
export const MAX_PHRASES = 4;
/** The last words of a query that may count as the beginning of others. Earlier words are whole words. */
export const MAX_PREFIXES = 4;
/** Unknown words of a query that are corrected. */
export const MAX_CORRECTIONS = 4;
/** Words of the index that a query compares, and near words that it looks up. */
export const MAX_LISTED_WORDS = 20_000;
export const MAX_NEAR_WORDS = 500;

/* Telemetry */

/** Interactions that are stored for one search. */
export const MAX_INTERACTIONS = 200;
/** Characters of a searched term that are stored. */
export const MAX_STORED_TERM_LENGTH = 200;
/** Queries in each list of the insights. */
export const MAX_INSIGHT_QUERIES = 50;

/* Indexing */

/**
 * Maximum number of indexed words of a body, besides at most as many stop words. It limits descriptions and metadata;
 * a passage has at most 120 words.
 */
export const MAX_BODY_WORDS = 5_000;

/** Distinct parts of the compounds of one passage, title or description. Each part costs some 6 bytes a scope. */
export const MAX_PARTS_OF_TEXT = 24;
/** Distinct other forms of the codes, numbers and identifiers of one passage, title or description (`ISO 9001` as `iso9001`). */
export const MAX_CODES_OF_TEXT = 32;

/* Ranking */

/** Variants of a phrase to look up: combinations of the written forms of its words. Only variants that occur count. */
export const MAX_PHRASE_VARIANTS = 1_000;
/** Maximum number of occurrences that are scored for a typed word prefix. Its words are read in alphabetical order. */
export const MAX_PREFIX_POSTINGS = 20_000;
/**
 * Maximum number of occurrences that one query groups. Each needs some 30 bytes while the database groups them, in memory. Words are
 * read in the order of the query, and the occurrences of a word in the order of sections.
 */
export const MAX_GROUPED_POSTINGS = 1_000_000;
/**
 * Maximum number of occurrences that a query in chosen places reads. It groups the occurrences of the visible rows in
 * these places.
 */
export const MAX_READ_POSTINGS = 4_000_000;
/** The same numbers for a query of function words alone, which nearly every text has. */
export const MAX_STOP_POSTINGS = 20_000;
export const MAX_READ_STOP_POSTINGS = 200_000;
/** Best sections and other rows whose passages are scored. */
export const MAX_SCORED_SECTIONS = 50;
/** Results of a query over all its pages, with the passages of documents. */
export const MAX_RESULTS = 1_000;
/** Passages of each document in the results, and of a document that is asked for alone. */
export const MAX_PASSAGES_PER_DOCUMENT = 3;
export const MAX_LISTED_PASSAGES = 50;

/* Suggestions */

/** Characters of a typed term that are read, from its end. */
export const MAX_TYPED_LENGTH = 500;
/** Words before the last typed one that a title must contain. */
export const MAX_TITLE_WORDS = 8;
/** Occurrences that are read. Where more words begin with the typed letters, the samples that are read whole count. */
export const MAX_READ_OCCURRENCES = 256;
/** Words that the database returns, the most frequent first. */
export const MAX_COMPLETIONS_READ = 100;
/** Sections of texts with the word before the last one that are read, the newest first. */
export const MAX_CONTEXTS = 16;
/** Suggestions of a response: suggestions of words, and suggestions in total. */
export const MAX_WORD_SUGGESTIONS = 5;
export const MAX_SUGGESTIONS = 10;
