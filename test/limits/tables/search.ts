import type { LimitTable } from "../row";

export const searchLimits: LimitTable<typeof import("../../../src/search/limits")> = {
  SEARCHES_PER_USER: { page: ["Search", "searches of a user, in each instance", "rate"], held: "rates" },
  SUGGESTIONS_PER_USER: { page: ["Search", "suggestions of a user, in each instance", "rate"], held: "rates" },
  GRANTS_WITHOUT_INDEX: {
    page: ["Search", "grants of a guest in an organization that are looked up one by one", "count"],
    held: ["search/guests.test.ts"],
    open: true,
  },
  MAX_TERM_LENGTH: {
    page: ["Search", "characters of a term that are read", "count"],
    held: "bounds",
  },
  MAX_WORDS: {
    pages: [
      ["Search", "distinct words of a query", "count"],
      ["Search", "exclusions of a query", "count"],
    ],
    held: "shown",
  },
  MAX_PHRASES: { page: ["Search", "phrases of a query", "count"], held: "shown" },
  MAX_PREFIXES: {
    page: ["Search", "last words of a query that count as beginnings", "count"],
    held: "shown",
  },
  MAX_CORRECTIONS: {
    page: ["Search", "corrected words of a query", "count"],
    held: ["search/marks.test.ts"],
    open: true,
  },
  MAX_LISTED_WORDS: { unheld: "It bounds memory or time and changes no answer within it." },
  MAX_NEAR_WORDS: { unheld: "It bounds memory or time and changes no answer within it." },
  MAX_INTERACTIONS: {
    page: ["Search", "stored interactions of a search", "count"],
    held: "shown",
  },
  MAX_STORED_TERM_LENGTH: { held: "shown" },
  MAX_INSIGHT_QUERIES: { held: "shown" },
  MAX_BODY_WORDS: { held: "shown" },
  MAX_PARTS_OF_TEXT: {
    held: ["search/compounds.test.ts > are bounded in number, for any text"],
    open: ["src/search/text/terms.ts"],
  },
  MAX_CODES_OF_TEXT: { held: "shown" },
  MAX_PHRASE_VARIANTS: {
    page: ["Search", "written variants of a phrase that are looked up", "count"],
    held: ["limits/effects.test.ts > a query reads as many occurrences as its kind may"],
  },
  MAX_PREFIX_POSTINGS: {
    page: ["Search", "occurrences that count for one beginning", "count"],
    held: ["limits/effects.test.ts > a query reads as many occurrences as its kind may"],
  },
  MAX_GROUPED_POSTINGS: {
    page: ["Search", "occurrences that one query reads", "count"],
    held: ["limits/effects.test.ts > a query reads as many occurrences as its kind may"],
  },
  MAX_READ_POSTINGS: {
    page: ["Search", "occurrences that a query in chosen places reads", "count"],
    held: ["limits/effects.test.ts > a query reads as many occurrences as its kind may"],
  },
  MAX_STOP_POSTINGS: {
    page: ["Search", "occurrences that a query of function words alone reads", "count"],
    held: ["limits/effects.test.ts > a query reads as many occurrences as its kind may"],
  },
  MAX_READ_STOP_POSTINGS: {
    page: ["Search", "occurrences that a query of function words alone in chosen places reads", "count"],
    held: ["limits/effects.test.ts > a query reads as many occurrences as its kind may"],
  },
  MAX_SCORED_SECTIONS: {
    page: ["Search", "sections whose passages are scored", "count"],
    held: [
      "search/sections.test.ts > shows a passage with the word, even after the sections whose passages are scored",
    ],
    open: true,
  },
  MAX_RESULTS: {
    page: ["Search", "results of a query over all pages, with their passages", "count"],
    held: ["search/results.test.ts"],
    open: true,
  },
  MAX_PASSAGES_PER_DOCUMENT: {
    page: ["Search", "passages of each document in the results", "count"],
    held: "shown",
  },
  MAX_LISTED_PASSAGES: {
    page: ["Search", "passages of a document that is asked for with `documentId`", "count"],
    held: "shown",
  },
  MAX_TYPED_LENGTH: { held: ["search/typing.test.ts"], open: true },
  MAX_TITLE_WORDS: { held: ["search/typing.test.ts"], open: true },
  MAX_READ_OCCURRENCES: {
    page: ["Search", "occurrences that are read for a suggestion", "count"],
    held: [
      "search/cost.test.ts > a suggestion among many words reads a bounded number of their occurrences, and keeps their order",
    ],
    open: true,
  },
  MAX_COMPLETIONS_READ: {
    held: [
      "search/cost.test.ts > a suggestion among many words reads a bounded number of their occurrences, and keeps their order",
    ],
    open: true,
  },
  MAX_CONTEXTS: {
    page: ["Search", "sections of texts with the words before that are read for a suggestion", "count"],
    held: [
      "search/cost.test.ts > a suggestion among many words reads a bounded number of their occurrences, and keeps their order",
    ],
    open: true,
  },
  MAX_WORD_SUGGESTIONS: { held: ["search/typing.test.ts", "search/flow.test.ts"], open: true },
  MAX_SUGGESTIONS: {
    page: ["Search", "suggestions", "count"],
    held: ["search/typing.test.ts", "search/flow.test.ts"],
    open: true,
  },
};
