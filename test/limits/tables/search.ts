import { BOUNDS_WORK, type LimitTable } from "../row.ts";

export const searchLimits: LimitTable<typeof import("../../../src/search/limits")> = {
  SEARCHES_PER_USER: { page: "rate | Search | searches of a user, in each instance", held: "rates" },
  SUGGESTIONS_PER_USER: { page: "rate | Search | suggestions of a user, in each instance", held: "rates" },
  GRANTS_WITHOUT_INDEX: {
    page: "count | Search | grants of a guest in an organization that are looked up one by one",
    held: "search",
  },
  MAX_TERM_LENGTH: { page: "count | Search | characters of a term that are read", held: "bounds" },
  MAX_WORDS: {
    pages: ["count | Search | distinct words of a query", "count | Search | exclusions of a query"],
    held: "shown",
  },
  MAX_PHRASES: { page: "count | Search | phrases of a query", held: "shown" },
  MAX_TAG_CONDITIONS: { page: "count | Search | tags of a query", held: "shown" },
  MAX_PREFIXES: { page: "count | Search | last words of a query that count as beginnings", held: "shown" },
  MAX_CORRECTIONS: { page: "count | Search | corrected words of a query", held: "search" },
  MAX_LISTED_WORDS: BOUNDS_WORK,
  MAX_NEAR_WORDS: BOUNDS_WORK,
  MAX_INTERACTIONS: { page: "count | Search | stored interactions of a search", held: "shown" },
  MAX_STORED_TERM_LENGTH: { held: "shown" },
  MAX_INSIGHT_QUERIES: { held: "shown" },
  MAX_BODY_WORDS: { held: "shown" },
  MAX_PARTS_OF_TEXT: { held: "search" },
  MAX_CODES_OF_TEXT: { held: "shown" },
  MAX_PHRASE_VARIANTS: {
    page: "count | Search | written variants of a phrase that are looked up",
    held: "effects > a query reads as many occurrences as its kind may",
  },
  MAX_PREFIX_POSTINGS: {
    page: "count | Search | occurrences that count for one beginning",
    held: "effects > a query reads as many occurrences as its kind may",
  },
  MAX_GROUPED_POSTINGS: {
    page: "count | Search | occurrences that one query reads",
    held: "effects > a query reads as many occurrences as its kind may",
  },
  MAX_READ_POSTINGS: {
    page: "count | Search | occurrences that a query in chosen places reads",
    held: "effects > a query reads as many occurrences as its kind may",
  },
  MAX_STOP_POSTINGS: {
    page: "count | Search | occurrences that a query of function words alone reads",
    held: "effects > a query reads as many occurrences as its kind may",
  },
  MAX_READ_STOP_POSTINGS: {
    page: "count | Search | occurrences that a query of function words alone in chosen places reads",
    held: "effects > a query reads as many occurrences as its kind may",
  },
  MAX_SCORED_SECTIONS: { page: "count | Search | sections whose passages are scored", held: "search" },
  MAX_RESULTS: { page: "count | Search | results of a query over all pages, with their passages", held: "search" },
  MAX_PASSAGES_PER_DOCUMENT: { page: "count | Search | passages of each document in the results", held: "shown" },
  MAX_LISTED_PASSAGES: {
    page: "count | Search | passages of a document that is asked for with `documentId`",
    held: "shown",
  },
  MAX_TYPED_LENGTH: { held: "search" },
  MAX_TITLE_WORDS: { held: "search" },
  MAX_READ_OCCURRENCES: { page: "count | Search | occurrences that are read for a suggestion", held: "search" },
  MAX_COMPLETIONS_READ: { held: "search" },
  MAX_CONTEXTS: {
    page: "count | Search | sections of texts with the words before that are read for a suggestion",
    held: "search",
  },
  MAX_WORD_SUGGESTIONS: { held: "search > MAX_SUGGESTIONS and MAX_WORD_SUGGESTIONS" },
  MAX_SUGGESTIONS: { page: "count | Search | suggestions", held: "search" },
};
