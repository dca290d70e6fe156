import { z } from "@hono/zod-openapi";
import { MAX_PAGE_SIZE } from "../platform/db/cursor";
import { idSchema } from "../platform/ids";
import { utcSchema } from "../platform/time";
import { RESULT_TYPES } from "./kinds";
import { MAX_LISTED_PASSAGES, MAX_PASSAGES_PER_DOCUMENT } from "./limits";

/** Ids of one kind that restrict a search. */
const ids = z.array(idSchema).max(200).optional();

const scopeFields = {
  includeShared: z
    .boolean()
    .default(true)
    .openapi({ description: "Whether the search includes resources that you see through grants only." }),
  organizationIds: ids,
  clusterIds: ids,
  locationIds: ids,
  resultTypes: z.array(z.enum(RESULT_TYPES)).max(RESULT_TYPES.length).optional(),
};
const scopeSchema = z.strictObject(scopeFields).openapi("SearchScope");

/** Any text is a query. Only the limit of the request body limits its size. */
const termSchema = z.string().openapi({
  description:
    'Words, `"a phrase"`, `-word`, `word*`, `tag:name`. Every text is a valid query. In a pasted passage, quotation marks and hyphens mean nothing.',
  example: 'bridge "bearing replacement" -draft',
});

export const searchBody = z
  .strictObject({
    term: termSchema,
    scope: scopeSchema.default({ includeShared: true }),
    limit: z.int().min(1).max(MAX_PAGE_SIZE).default(20),
    documentId: idSchema.optional().openapi({
      description: `Returns this document alone, with up to ${MAX_LISTED_PASSAGES} of its passages, as the whole search ranks them.`,
    }),
    correct: z
      .boolean()
      .optional()
      .openapi({ description: "False: words that occur nowhere are not replaced by similar words that do." }),
    cursor: z.string().max(4_000).optional(),
  })
  // The example has no cursor: the service refuses one that it did not issue.
  .openapi("SearchRequest", { example: { term: 'bridge "bearing replacement" -draft', limit: 20 } });
export type SearchRequest = z.infer<typeof searchBody>;

const sourceSchema = z.object({
  documentId: idSchema,
  pageNumber: z.int().nullable(),
  chunkIndex: z.int().nullable(),
});

const snippetText = "HTML-escaped excerpt with matches in `<mark>`";
const passageSchema = z
  .object({
    resultId: z.string().openapi({ example: "documentcontent:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10.4" }),
    score: z.number(),
    snippet: z.string().openapi({ description: `${snippetText}.` }),
    source: sourceSchema,
  })
  .openapi("SearchPassage");

const resultSchema = z
  .object({
    resultId: z.string().openapi({ example: "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10" }),
    resultType: z.enum(RESULT_TYPES).openapi({
      description:
        "A document is one result: Document if its name matches, or DocumentContent if only its text does. " +
        "All its `passages` are DocumentContent.",
    }),
    rankPosition: z.int().openapi({ description: "Rank of the result over all pages, from 1." }),
    score: z.number(),
    title: z.string(),
    markedTitle: z.string().openapi({ description: "HTML-escaped title with matches in `<mark>`." }),
    subtitle: z.string(),
    snippet: z
      .string()
      .nullable()
      .openapi({ description: `${snippetText}; null when there is no text to show.` }),
    source: sourceSchema
      .nullable()
      .openapi({ description: "Position of the best passage in a document; null for other results." }),
    passages: z.array(passageSchema).openapi({
      description: `Passages of the document with words of the term, the best first: at most ${MAX_PASSAGES_PER_DOCUMENT}, or ${MAX_LISTED_PASSAGES} with \`documentId\`.`,
    }),
    passageCount: z.int().openapi({ description: "Number of such passages in the document." }),
    organizationId: idSchema.nullable(),
    clusterId: idSchema,
    locationId: idSchema.nullable(),
    clusterName: z.string().nullable().openapi({ description: "Null if you may not see the cluster." }),
    locationName: z.string().nullable().openapi({ description: "Null without a location that you may see." }),
    updatedAtUtc: utcSchema,
  })
  .openapi("SearchResult");
export type SearchResult = z.infer<typeof resultSchema>;

export const searchResponse = z
  .object({
    searchId: idSchema,
    results: z.array(resultSchema),
    nextCursor: z.string().nullable(),
    total: z.object({ count: z.int(), isExact: z.boolean() }).openapi({
      description:
        "Number of all results, over all pages. It is a minimum, and `isExact` is false, if the words of the query, or words that begin with its last ones, occur too often to read all their occurrences.",
    }),
    correctedTerm: z.string().nullable().openapi({
      description: "The corrected term that was searched, if one of your words occurs nowhere and a similar word does.",
    }),
  })
  .openapi("SearchResponse");
export type SearchResponse = z.infer<typeof searchResponse>;

export const suggestionsBody = z
  .strictObject({ term: termSchema, scope: scopeSchema.default({ includeShared: true }) })
  .openapi("SuggestionsRequest");

const suggestionSchema = z
  .object({
    text: z.string(),
    resultType: z
      .enum(RESULT_TYPES)
      .nullable()
      .openapi({ description: "Type of the resource that the suggestion names; null when it completes a word." }),
    resultId: z.string().nullable(),
  })
  .openapi("Suggestion");
export type Suggestion = z.infer<typeof suggestionSchema>;

export const suggestionsResponse = z.object({ suggestions: z.array(suggestionSchema) }).openapi("SuggestionList");
