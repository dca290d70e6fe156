import { z } from "@hono/zod-openapi";
import { RESULT_TYPES } from "../reach";
import { scopeSchema, termSchema } from "../schemas";

export const suggestionsBody = z
  .strictObject({ term: termSchema, scope: scopeSchema.default({ includeShared: true }) })
  .openapi("SuggestionsRequest");

export const suggestionSchema = z
  .object({
    text: z.string(),
    resultType: z
      .enum(RESULT_TYPES)
      .nullable()
      .openapi({ description: "What the suggestion names; null when it completes a word." }),
    resultId: z.string().nullable(),
  })
  .openapi("Suggestion");
export type Suggestion = z.infer<typeof suggestionSchema>;

export const suggestionsResponse = z.object({ suggestions: z.array(suggestionSchema) }).openapi("SuggestionList");
