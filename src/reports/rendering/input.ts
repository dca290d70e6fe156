import { z } from "@hono/zod-openapi";
import { brandingInputSchema } from "../../branding";
import { resolvedImageSchema } from "./images/resolve";

/**
 * Everything that a page depends on, as it stood when it was asked for: what is kept with a PDF job, and
 * hashed to tell whether anything changed.
 */
export const reportInputSchema = z.object({
  tenantId: z.string(),
  report: z.object({
    id: z.string(),
    title: z.string(),
    revision: z.int(),
    createdAt: z.int(),
    updatedAt: z.int(),
    createdBy: z.string().nullable(),
  }),
  /** Null where the asker does not see the location itself. */
  location: z
    .object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      address: z.string().nullable(),
      latitude: z.number().nullable(),
      longitude: z.number().nullable(),
    })
    .nullable(),
  template: z.object({
    id: z.string(),
    key: z.string(),
    displayName: z.string(),
    revision: z.int(),
    htmlLayoutTemplate: z.string(),
    cssStylesheetTemplate: z.string(),
    bodyFieldPath: z.string().nullable(),
  }),
  content: z.record(z.string(), z.unknown()),
  branding: brandingInputSchema,
  /** Pictures that the page names, by `wishKey`. */
  images: z.array(z.tuple([z.string(), z.array(resolvedImageSchema)])),
});
export type ReportInput = z.infer<typeof reportInputSchema>;
