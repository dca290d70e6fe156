import { z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import {
  holds,
  READ,
  type ResourcePath,
  readAcross,
  requireLevel,
  requireOrganizationAdmin,
  requireUser,
  scopeOf,
  type UserCaller,
  WRITE,
} from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { freeJson } from "../../platform/http/fields";
import { idSchema } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { editableFields, nameSchema, organizationIdSchema } from "../../workspace";
import { MAX_PATH_CHARACTERS, MAX_TEMPLATE_CHARACTERS, SKELETON_LIMITS } from "../limits";
import { reportTemplates } from "../tables";
import { dig, readFieldPath } from "../templating";

export type TemplateRow = typeof reportTemplates.$inferSelect;

export const templateKeySchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "must have 1 to 64 lower-case letters, digits, dots, hyphens and underscores")
  .openapi({ example: "site-inspection" });

const bodyFieldPathSchema = z
  .string()
  .max(MAX_PATH_CHARACTERS)
  .refine(
    (path) => path !== "." && readFieldPath(path) !== null,
    "must be names separated by dots, such as body, Site notes or sections.0.text",
  )
  .openapi({ description: "The path of the report's main text in its JSON. The text is markdown.", example: "body" });

/** The fields of a template in a request. */
export const newTemplateSchema = z
  .strictObject({
    key: templateKeySchema,
    displayName: nameSchema,
    htmlLayoutTemplate: z
      .string()
      .max(MAX_TEMPLATE_CHARACTERS)
      .default("")
      .openapi({ description: "The HTML of the page. If it is empty, the default wrapper is used." }),
    cssStylesheetTemplate: z.string().max(MAX_TEMPLATE_CHARACTERS).default(""),
    cssMediaType: z.literal("text/css").default("text/css"),
    contentTemplateJson: freeJson(SKELETON_LIMITS),
    bodyFieldPath: bodyFieldPathSchema
      .nullable()
      .default(null)
      .openapi({ type: ["string", "null"] }),
    attachesData: z.boolean().default(false).openapi({
      description: "Whether each PDF has the fields that its page shows in it, as the file `report.json`.",
    }),
  })
  .superRefine(({ contentTemplateJson, bodyFieldPath }, context) => {
    const body = bodyFieldPath === null ? "" : (dig(contentTemplateJson, readFieldPath(bodyFieldPath) ?? []) ?? "");
    if (typeof body !== "string")
      context.addIssue({
        code: "custom",
        path: ["bodyFieldPath"],
        message: "must be the path of a text in contentTemplateJson",
      });
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
    attachesData: z.boolean(),
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
  attachesData: row.attachesData,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** A template in a list, without its sources, which can have hundreds of kilobytes. */
export const listedTemplateSchema = templateSchema
  .omit({ htmlLayoutTemplate: true, cssStylesheetTemplate: true, contentTemplateJson: true })
  .openapi("ReportTemplateSummary");

/** The path of a template: an organization or a personal workspace. */
const placeOfTemplate = ({
  tenantId,
  organizationId,
}: Pick<TemplateRow, "tenantId" | "organizationId">): ResourcePath => ({
  tenantId,
  organizationId,
});

/**
 * The owners of the templates that the caller may read: the caller, and every organization that they see or where they
 * may read reports.
 */
export function templateTenants({ facts }: UserCaller): string[] {
  const tenants = (capability: "OrganizationView" | "Reports") =>
    scopeOf(facts, capability, "content", { includeShared: false }).tenants;
  return [...new Set([...tenants("Reports"), ...tenants("OrganizationView")])];
}

/** Whether the caller may read the templates of an owner. */
export const seesTemplatesOf = (caller: UserCaller, tenantId: string): boolean =>
  templateTenants(caller).includes(tenantId);

/** Whether the caller may read this template. */
const seesTemplate = (caller: UserCaller, row: TemplateRow): boolean => seesTemplatesOf(caller, row.tenantId);

/** Checks that the caller may create and change templates of this owner. @throws DomainError 401, 403, 404. */
export function requireTemplateOwner(context: Context, place: ResourcePath): UserCaller {
  const { organizationId } = place;
  if (organizationId !== null) return requireOrganizationAdmin(context, organizationId);
  requireLevel(context, place, "LocationView", "Reports", WRITE);
  return requireUser(context);
}

/** Finds a template that the caller may change. @throws DomainError 401, 403, 404. */
export async function requireTemplate(context: Context, templateId: string): Promise<TemplateRow> {
  requireUser(context);
  const [row] = await context.workspace
    .select()
    .from(reportTemplates)
    .where(and(eq(reportTemplates.id, templateId), isNull(reportTemplates.deletedAt)));
  return requireVisibleTemplate(context, row);
}

/** Finds a template that the caller may read. @throws DomainError 401, 404. */
export async function requireReadableTemplate(context: Context, templateId: string): Promise<TemplateRow> {
  const caller = requireUser(context);
  const [row] = await context.workspace
    .select()
    .from(reportTemplates)
    .where(and(eq(reportTemplates.id, templateId), isNull(reportTemplates.deletedAt)));
  if (row === undefined || !seesTemplate(caller, row)) throw notFound();
  return row;
}

/** Returns the template if the caller may change it. @throws DomainError 401, 403, 404. */
export function requireVisibleTemplate(context: Context, row: TemplateRow | undefined): TemplateRow {
  if (row === undefined || !seesTemplate(requireUser(context), row)) throw notFound();
  requireTemplateOwner(context, placeOfTemplate(row));
  return row;
}

/** A key, and the organization that selects one of several templates with it. */
interface KeyQuery {
  key: string;
  organizationId?: string | undefined;
}

/**
 * Finds the template with this key. The caller's own template comes before the templates of organizations.
 * @throws DomainError 404; 409 ambiguous-key with the organizations, in the order of their creation, if several have such
 *   a template
 */
export async function findByKey(context: Context, { key, organizationId }: KeyQuery): Promise<TemplateRow> {
  const caller = requireUser(context);
  const tenants = templateTenants(caller).filter((id) => organizationId === undefined || id === organizationId);
  const inEach = await readAcross(context, ({ workspace }) =>
    workspace
      .select()
      .from(reportTemplates)
      .where(
        and(inSet(reportTemplates.tenantId, tenants), eq(reportTemplates.key, key), isNull(reportTemplates.deletedAt)),
      )
      .orderBy(sql`${reportTemplates.organizationId} IS NOT NULL`, reportTemplates.tenantId)
      .limit(MAX_NAMED + 1),
  );
  const rows = inEach.flat();
  const found = rows.find((row) => row.organizationId === null) ?? rows[0];
  if (found === undefined) throw notFound();
  if (found.organizationId === null || rows.length === 1) return found;
  const ids = rows
    .map((row) => row.tenantId)
    .sort()
    .slice(0, MAX_NAMED);
  const named = await readAcross(context, ({ workspace }) =>
    workspace
      .select({ id: organizations.id, name: organizations.name })
      .from(organizations)
      .where(inSet(organizations.id, ids)),
  );
  const list = named
    .flat()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, name }) => `${name} (${id})`)
    .join(", ");
  throw new DomainError(
    "ambiguous-key",
    `Several organizations have a template with this key: ${list}. Select one with organizationId.`,
  );
}

/** Organizations that the error of an ambiguous key names. */
const MAX_NAMED = 10;

/** The template of a new report, by id or by key. */
export interface TemplateChoice {
  templateId?: string | undefined;
  templateKey?: string | undefined;
}

/**
 * Chooses the template of a new report at a location where the caller may write reports: the caller's own one, or one
 * of the location's organization. @throws DomainError 404, 409 ambiguous-key, 422
 */
export async function chooseTemplate(
  context: Context,
  place: Pick<TemplateRow, "tenantId" | "organizationId">,
  { templateId, templateKey }: TemplateChoice,
): Promise<TemplateRow> {
  const caller = requireUser(context);
  const { workspace } = context;
  const wanted =
    templateId === undefined ? eq(reportTemplates.key, templateKey ?? "") : eq(reportTemplates.id, templateId);
  // A user who may write reports here can use the templates of its organization, even without other access to it.
  const personal = holds(caller, "Reports", { tenantId: caller.userId, organizationId: null }, READ);
  const tenants = [...(personal ? [caller.userId] : []), ...(place.organizationId === null ? [] : [place.tenantId])];
  const rows = await workspace
    .select()
    .from(reportTemplates)
    .where(and(wanted, inSet(reportTemplates.tenantId, tenants), isNull(reportTemplates.deletedAt)));
  const found = rows.find(({ organizationId }) => organizationId === null) ?? rows[0];
  if (found === undefined) throw noTemplate();
  return found;
}

export const noTemplate = (): DomainError =>
  new DomainError(
    "rule-violated",
    "There is no such template for this location. Use your own template or one of the location's organization.",
  );

/** The condition that a template exists and is not deleted. */
export const templateExists = (id: string) =>
  sql`EXISTS (SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.id} = ${id} AND ${reportTemplates.deletedAt} IS NULL)`;
