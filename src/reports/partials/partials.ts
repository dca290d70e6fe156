import { z } from "@hono/zod-openapi";
import { and, asc, eq, getTableColumns, gt, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import { auditStatement, holds, requireOrganizationAdmin, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { editableFields, fewerThan, limitReached, organizationExists } from "../../workspace";
import { MAX_PARTIAL_CHARACTERS, MAX_PARTIALS } from "../limits";
import { reportPartials, reportTemplates } from "../tables";
import { seesTemplatesOf } from "../templates";
import { PARTIAL_NAME, parseTemplate, partialNames } from "../templating";

/*
 * Parts that the templates of an organization share. Owners and admins write them, as they write its templates. A page reads the
 * present source, so a change of a partial changes the input of all reports that use it.
 */

type PartialRow = typeof reportPartials.$inferSelect;

export const partialNameSchema = z
  .string()
  .regex(PARTIAL_NAME, "must have 1 to 64 lower-case letters, digits, hyphens and underscores")
  .openapi({ example: "letterhead" });

export const partialSourceSchema = z
  .string()
  .max(MAX_PARTIAL_CHARACTERS)
  .openapi({ description: "HTML with the tags of a layout. In a stylesheet, it is CSS without pictures." });

export const listedPartialSchema = z
  .object({
    organizationId: idSchema,
    name: z.string(),
    partials: z.array(z.string()).openapi({ description: "The partials that it uses itself." }),
    ...editableFields,
  })
  .openapi("ReportPartialSummary");

export const partialSchema = listedPartialSchema.extend({ source: z.string() }).openapi("ReportPartial");

export const partialWithUsesSchema = partialSchema
  .extend({
    usedBy: z
      .object({
        templates: z.array(
          z.object({
            id: idSchema,
            key: z.string(),
            displayName: z.string(),
            isDeleted: z.boolean().openapi({ description: "It is in the trash, or reports still use it." }),
          }),
        ),
        partials: z.array(z.string()),
      })
      .openapi({
        description:
          "What names it. It cannot be deleted while this is not empty. Only owners and admins see deleted templates here.",
      }),
  })
  .openapi("ReportPartialWithUses");

const presentListed = (row: Omit<PartialRow, "source">): z.infer<typeof listedPartialSchema> => ({
  organizationId: row.organizationId,
  name: row.name,
  partials: row.partials ?? [],
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

const present = (row: PartialRow): z.infer<typeof partialSchema> => ({ ...presentListed(row), source: row.source });

/** Checks that the caller may read the templates of the organization. @throws DomainError 401, 404. */
function requireReader(context: Context, organizationId: string): void {
  if (!seesTemplatesOf(requireUser(context), organizationId)) throw notFound();
}

const isPartial = (organizationId: string, name: string) =>
  and(eq(reportPartials.organizationId, organizationId), eq(reportPartials.name, name));

async function findPartial({ workspace }: Context, organizationId: string, name: string): Promise<PartialRow | null> {
  const [row] = await workspace.select().from(reportPartials).where(isPartial(organizationId, name));
  return row ?? null;
}

/** Condition: the JSON array of names in a column has this name, which has no quotes in it. */
const names = (column: typeof reportPartials.partials | typeof reportTemplates.partials, name: string): SQL =>
  sql`instr(${column}, ${`"${name}"`}) > 0`;

/** The templates and partials that name a partial. Deleted templates count while reports use them. */
async function usesOf({ workspace }: Context, organizationId: string, name: string) {
  const using = workspace
    .select({ id: reportTemplates.id })
    .from(reportTemplates)
    .where(
      and(
        eq(reportTemplates.tenantId, organizationId),
        isNotNull(reportTemplates.partials),
        names(reportTemplates.partials, name),
      ),
    );
  const [templates, partials] = await Promise.all([
    workspace
      .select({
        id: reportTemplates.id,
        key: reportTemplates.key,
        displayName: reportTemplates.displayName,
        deletedAt: reportTemplates.deletedAt,
      })
      .from(reportTemplates)
      .where(inArray(reportTemplates.id, using))
      .orderBy(asc(reportTemplates.id)),
    workspace
      .select({ name: reportPartials.name })
      .from(reportPartials)
      .where(and(eq(reportPartials.organizationId, organizationId), names(reportPartials.partials, name)))
      .orderBy(asc(reportPartials.name)),
  ]);
  return {
    templates: templates.map(({ deletedAt, ...rest }) => ({ ...rest, isDeleted: deletedAt !== null })),
    partials: partials.map((row) => row.name),
  };
}

const nameKey = z.tuple([z.string()]);

/** Lists the partials of an organization without their sources, in the order of their names. @throws DomainError 401, 404. */
export async function listPartials(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireReader(context, organizationId);
  const [after] = readCursor(cursor, nameKey) ?? [""];
  const { source: _, ...columns } = getTableColumns(reportPartials);
  const rows = await context.workspace
    .select(columns)
    .from(reportPartials)
    .where(and(eq(reportPartials.organizationId, organizationId), gt(reportPartials.name, after)))
    .orderBy(asc(reportPartials.name))
    .limit(limit + 1);
  return toPage(rows, limit, ({ name }) => [name], presentListed);
}

/** Gets a partial with its source and what uses it: deleted templates for owners and admins alone. @throws DomainError 401, 404. */
export async function getPartial(
  context: Context,
  organizationId: string,
  name: string,
): Promise<z.infer<typeof partialWithUsesSchema>> {
  requireReader(context, organizationId);
  const row = await findPartial(context, organizationId, name);
  if (row === null) throw notFound();
  const { templates, partials } = await usesOf(context, organizationId, name);
  const seesDeleted = holds(
    requireUser(context),
    "OrganizationView",
    { tenantId: organizationId, organizationId },
    WRITE,
  );
  const usedBy = { templates: templates.filter(({ isDeleted }) => seesDeleted || !isDeleted), partials };
  return { ...present(row), usedBy };
}

/** Refuses a partial that would be within itself. @throws DomainError rule-violated. */
async function requireNoCircle(
  { workspace }: Context,
  { organizationId, name }: Pick<PartialRow, "organizationId" | "name">,
  uses: readonly string[],
): Promise<void> {
  if (uses.length === 0) return;
  const rows = await workspace
    .select({ name: reportPartials.name, partials: reportPartials.partials })
    .from(reportPartials)
    .where(eq(reportPartials.organizationId, organizationId));
  const usedBy = new Map(rows.map((row) => [row.name, row.partials ?? []]));
  const seen = new Set<string>();
  const open = [...uses];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === name)
      throw new DomainError("rule-violated", "The partial would be within itself. Take it out of the partials in it.");
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(usedBy.get(next) ?? []));
  }
}

/** Checks the base of a write: without one, it must not replace the work of another person. @throws DomainError 409, 412. */
function checkBase(context: Context, row: PartialRow, precondition: Precondition): void {
  checkPrecondition(precondition, row.revision);
  const namesNone = precondition.baseRevision === undefined && precondition.ifMatch === undefined;
  if (namesNone && (row.updatedBy ?? row.createdBy) !== requireUser(context).userId)
    throw new DomainError(
      "stale-revision",
      "Another person changed this partial. Read it again, and send the revision that you started from as baseRevision or If-Match.",
      { currentRevision: row.revision },
    );
}

const trail = (
  context: Context,
  { organizationId, name, revision }: Pick<PartialRow, "organizationId" | "name" | "revision">,
  { action }: { action: string },
) =>
  auditStatement(context, {
    organizationId,
    action,
    subjectType: "report-partial",
    subjectId: name,
    details: { name, revision },
  });

/**
 * Creates a partial, or replaces its source. Reports that use it are rendered with the new source from then on.
 * @throws DomainError 401, 403, 404, 409, 412, 422 template-invalid with line and column, rule-violated
 */
export async function putPartial(
  context: Context,
  organizationId: string,
  name: string,
  source: string,
  precondition: Precondition,
): Promise<z.infer<typeof partialSchema>> {
  const { userId } = requireOrganizationAdmin(context, organizationId);
  const before = await findPartial(context, organizationId, name);
  if (before === null && (precondition.baseRevision !== undefined || precondition.ifMatch !== undefined))
    throw notFound();
  if (before !== null) checkBase(context, before, precondition);
  const uses = partialNames(parseTemplate("source", source));
  await requireNoCircle(context, { organizationId, name }, uses);
  const row: PartialRow = {
    organizationId,
    name,
    partials: uses.length === 0 ? null : uses,
    revision: (before?.revision ?? 0) + 1,
    createdBy: before === null ? userId : before.createdBy,
    updatedBy: before === null ? null : userId,
    createdAt: before?.createdAt ?? context.now,
    updatedAt: context.now,
    source,
  };
  const change = beginChange(context, organizationId).guard(organizationExists(organizationId), notFound());
  if (before === null) {
    const all = sql`SELECT 1 FROM ${reportPartials} WHERE ${reportPartials.organizationId} = ${organizationId}`;
    change
      .guard(fewerThan(MAX_PARTIALS, all), limitReached("This workspace", MAX_PARTIALS))
      .add(context.workspace.insert(reportPartials).values(row));
  } else
    change
      .add(
        context.workspace
          .update(reportPartials)
          .set(row)
          .where(and(isPartial(organizationId, name), eq(reportPartials.revision, before.revision))),
      )
      .guardChanged(staleRevision());
  try {
    await change.add(trail(context, row, { action: "report-partial.updated" })).commit();
  } catch (thrown) {
    if (isUniqueViolation(thrown, "report_partials.name")) throw staleRevision();
    throw thrown;
  }
  return present(row);
}

/** The error for a partial that templates or other partials use. It names them. */
function inUse({ templates, partials }: Awaited<ReturnType<typeof usesOf>>): DomainError {
  const said = [...templates.map(({ key, displayName }) => `${displayName} (${key})`), ...partials];
  return new DomainError(
    "conflict",
    `These use the partial: ${said.slice(0, MAX_NAMED).join(", ")}. Take it out of them first.`,
  );
}

/** Templates and partials that the error of a used partial names. */
const MAX_NAMED = 10;

/** Deletes a partial that nothing uses. @throws DomainError 401, 403, 404, 409 with what uses it, 412. */
export async function deletePartial(
  context: Context,
  organizationId: string,
  name: string,
  precondition: Precondition,
): Promise<void> {
  requireOrganizationAdmin(context, organizationId);
  const row = await findPartial(context, organizationId, name);
  if (row === null) throw notFound();
  checkPrecondition(precondition, row.revision);
  const uses = await usesOf(context, organizationId, name);
  if (uses.templates.length + uses.partials.length > 0) throw inUse(uses);
  const unused = sql`NOT EXISTS (SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.tenantId} = ${organizationId}
      AND ${reportTemplates.partials} IS NOT NULL AND ${names(reportTemplates.partials, name)})
    AND NOT EXISTS (SELECT 1 FROM ${reportPartials} WHERE ${reportPartials.organizationId} = ${organizationId}
      AND ${names(reportPartials.partials, name)})`;
  await beginChange(context, organizationId)
    .guard(unused, staleRevision())
    .add(
      context.workspace
        .delete(reportPartials)
        .where(and(isPartial(organizationId, name), eq(reportPartials.revision, row.revision))),
    )
    .guardChanged(notFound())
    .add(trail(context, row, { action: "report-partial.deleted" }))
    .commit();
}
