import { z } from "@hono/zod-openapi";
import { freeJson } from "../../platform/http/free-json";
import { idSchema } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { editableFields, nameSchema, organizationIdSchema } from "../../workspace";
import { SKELETON_LIMITS } from "../limits";
import type { reportTemplates } from "../tables";
import { LARGEST_TEMPLATE } from "../templating/limits";
import { dig, LONGEST_PATH, readPath } from "../templating/path";

export type TemplateRow = typeof reportTemplates.$inferSelect;

export const templateKeySchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "is 1 to 64 lower-case letters, digits, dots, hyphens and underscores")
  .openapi({ example: "site-inspection" });

const bodyFieldPathSchema = z
  .string()
  .max(LONGEST_PATH)
  .refine((path) => path !== "." && readPath(path) !== null, "is names parted by dots, such as body or sections.0.text")
  .openapi({ description: "Where the report's main text stands in its JSON, as markdown.", example: "body" });

/** What one writes of a template. */
export const newTemplateSchema = z
  .strictObject({
    key: templateKeySchema,
    displayName: nameSchema,
    htmlLayoutTemplate: z
      .string()
      .max(LARGEST_TEMPLATE)
      .default("")
      .openapi({ description: "The page around the body. Empty: the default wrapper." }),
    cssStylesheetTemplate: z.string().max(LARGEST_TEMPLATE).default(""),
    cssMediaType: z.literal("text/css").default("text/css"),
    contentTemplateJson: freeJson(SKELETON_LIMITS),
    bodyFieldPath: bodyFieldPathSchema
      .nullable()
      .default(null)
      .openapi({ type: ["string", "null"] }),
  })
  .superRefine(({ contentTemplateJson, bodyFieldPath }, context) => {
    const body = bodyFieldPath === null ? "" : (dig(contentTemplateJson, readPath(bodyFieldPath) ?? []) ?? "");
    if (typeof body !== "string")
      context.addIssue({ code: "custom", path: ["bodyFieldPath"], message: "names something that is no text" });
  });
export type NewTemplate = z.infer<typeof newTemplateSchema>;

export const templateSchema = z
  .object({
    id: idSchema,
    key: z.string(),
    displayName: z.string(),
    ownerType: z.enum(["user", "organization"]),
    organizationId: organizationIdSchema,
    htmlLayoutTemplate: z.string(),
    cssStylesheetTemplate: z.string(),
    cssMediaType: z.string(),
    contentTemplateJson: z.record(z.string(), z.unknown()),
    bodyFieldPath: z.string().nullable(),
    ...editableFields,
  })
  .openapi("ReportTemplate");

export const presentTemplate = (row: TemplateRow): z.infer<typeof templateSchema> => ({
  id: row.id,
  key: row.key,
  displayName: row.displayName,
  ownerType: row.organizationId === null ? "user" : "organization",
  organizationId: row.organizationId,
  htmlLayoutTemplate: row.htmlLayoutTemplate,
  cssStylesheetTemplate: row.cssStylesheetTemplate,
  cssMediaType: row.cssMediaType,
  contentTemplateJson: row.contentTemplateJson,
  bodyFieldPath: row.bodyFieldPath,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** A template in a list: without its sources, which may have hundreds of kilobytes. */
export const listedTemplateSchema = templateSchema
  .omit({ htmlLayoutTemplate: true, cssStylesheetTemplate: true, contentTemplateJson: true })
  .openapi("ReportTemplateSummary");
