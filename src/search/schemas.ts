import { z } from "@hono/zod-openapi";
import { MAX_PAGE_SIZE } from "../platform/db/cursor";
import { idSchema } from "../platform/ids";
import { utcSchema } from "../platform/time";
import { RESULT_TYPES } from "./access-scope";

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
export const scopeSchema = z.strictObject(scopeFields).openapi("SearchScope");

/** Any text is a query. Only the limit of the request body limits its size. */
export const termSchema = z.string().openapi({
  description: 'Words, `"a phrase"`, `-word`, `word*`. Every text is a valid query.',
  example: 'bridge "bearing replacement" -draft',
});

export const searchBody = z
  .strictObject({
    term: termSchema,
    scope: scopeSchema.default({ includeShared: true }),
    limit: z.int().min(1).max(MAX_PAGE_SIZE).default(20),
    cursor: z.string().max(4_000).optional(),
  })
  // The example has no cursor: the service refuses one that it did not issue.
  .openapi("SearchRequest", { example: { term: 'bridge "bearing replacement" -draft', limit: 20 } });
export type SearchRequest = z.infer<typeof searchBody>;

export const resultSchema = z
  .object({
    resultId: z.string().openapi({ example: "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10" }),
    resultType: z.enum(RESULT_TYPES),
    rankPosition: z.int().openapi({ description: "From 1, over all pages." }),
    score: z.number(),
    title: z.string(),
    subtitle: z.string(),
    snippet: z
      .string()
      .nullable()
      .openapi({ description: "HTML-escaped excerpt with matches in `<mark>`; null when there is no text to show." }),
    source: z
      .object({ documentId: idSchema, pageNumber: z.int().nullable(), chunkIndex: z.int().nullable() })
      .nullable()
      .openapi({ description: "Position in a document; null for other results." }),
    organizationId: idSchema.nullable(),
    clusterId: idSchema,
    locationId: idSchema.nullable(),
    updatedAtUtc: utcSchema,
  })
  .openapi("SearchResult");
export type SearchResult = z.infer<typeof resultSchema>;

export const searchResponse = z
  .object({
    searchId: idSchema,
    results: z.array(resultSchema),
    nextCursor: z.string().nullable(),
    correctedTerm: z.string().nullable().openapi({
      description: "The term that was searched instead, when a word of yours occurs nowhere and a similar word does.",
    }),
  })
  .openapi("SearchResponse");
export type SearchResponse = z.infer<typeof searchResponse>;

export const suggestionsBody = z
  .strictObject({ term: termSchema, scope: scopeSchema.default({ includeShared: true }) })
  .openapi("SuggestionsRequest");

export const suggestionSchema = z
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
