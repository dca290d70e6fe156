import { z } from "@hono/zod-openapi";
import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import {
  auditStatement,
  idsInScope,
  type Level,
  pageAcross,
  type ResourcePath,
  requireLevel,
  requireUser,
  scopeOf,
  WRITE,
} from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isUniqueViolation } from "../../platform/db/failures";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { lineSchema } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import {
  editableFields,
  fewerThan,
  idKey,
  limitReached,
  organizationExists,
  organizationIdSchema,
  type SpatialQuery,
  tenantFilter,
  within,
} from "../../workspace";
import { MAX_TAG_NAME_LENGTH, MAX_TAGS } from "../limits";
import { TAG_COLORS, tags } from "../tables";

type TagRow = typeof tags.$inferSelect;

/**
 * The name of a tag as people type it in a search: its letters and digits in lower case, without accents. So
 * `tag:north-yard` and `tag:"North Yard"` mean the same tag. A name without letters and digits stands for itself.
 */
export const tagWord = (name: string): string => {
  const word = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "")
    .normalize("NFC");
  return word === "" ? name : word;
};

/** Fields of a tag that a client writes. */
export const tagFields = {
  name: lineSchema(MAX_TAG_NAME_LENGTH).openapi({ example: "Inspection" }),
  color: z.enum(TAG_COLORS),
};

export const tagSchema = z
  .object({ id: idSchema, organizationId: organizationIdSchema, ...tagFields, ...editableFields })
  .openapi("Tag");

export const presentTag = (row: TagRow): z.infer<typeof tagSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  name: row.name,
  color: row.color,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** Requires a level of the documents of a whole workspace, which has the tags. @throws DomainError 401, 403, 404. */
function requireTags(context: Context, place: ResourcePath, level: Level): void {
  requireLevel(context, place, "Documents", "Documents", level);
}

const placeOf = ({ tenantId, organizationId }: Pick<TagRow, "tenantId" | "organizationId">): ResourcePath => ({
  tenantId,
  organizationId,
});

const nameTaken = (): DomainError =>
  new DomainError("already-exists", "A tag with this name exists already. Choose another name, or use that tag.");

/** Reads a tag that the caller may use at this level. @throws DomainError 401, 403, 404. */
export async function requireTag(context: Context, tagId: string, level: Level): Promise<TagRow> {
  requireUser(context);
  const [row] = await context.workspace.select().from(tags).where(eq(tags.id, tagId));
  if (row === undefined) throw notFound();
  requireTags(context, placeOf(row), level);
  return row;
}

interface NewTag {
  /** Null for the caller's personal workspace. */
  organizationId: string | null;
  name: string;
  color: TagRow["color"];
}

/** Creates a tag in an organization or in the caller's personal workspace. @throws DomainError 401, 403, 404, 409, 422. */
export async function createTag(context: Context, { organizationId, name, color }: NewTag) {
  const { userId } = requireUser(context);
  const place = placeOf({ tenantId: organizationId ?? userId, organizationId });
  requireTags(context, place, WRITE);
  const { tenantId } = place;
  const row: TagRow = {
    id: newIdIn(tenantId),
    tenantId,
    organizationId,
    name,
    word: tagWord(name),
    color,
    revision: 1,
    createdBy: userId,
    createdAt: context.now,
    updatedAt: context.now,
  };
  const change = beginChange(context, tenantId);
  if (organizationId !== null) change.guard(organizationExists(organizationId), notFound());
  const others = sql`SELECT 1 FROM ${tags} WHERE ${tags.tenantId} = ${tenantId}`;
  change
    .guard(fewerThan(MAX_TAGS, others), limitReached("This workspace", MAX_TAGS))
    .add(context.workspace.insert(tags).values(row));
  try {
    await change.commit();
  } catch (thrown) {
    throw isUniqueViolation(thrown) ? nameTaken() : thrown;
  }
  return presentTag(row);
}

/** Lists the tags of the workspaces whose documents the caller may read, ordered by id. */
export async function listTags(context: Context, query: PageQuery & Pick<SpatialQuery, "organizationId">) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const whole = within(scopeOf(caller.facts, "Documents", "cluster"), caller, query.organizationId);
  const scope = { ...whole, clusters: [], locations: [], documents: [] };
  const page = { after, limit: query.limit + 1 };
  const ids = idsInScope(
    scope,
    {
      table: tags,
      id: tags.id,
      columns: { tenantId: tags.tenantId },
      where: tenantFilter(tags, query.organizationId) ?? sql`1`,
    },
    page,
  );
  const rows = await pageAcross(context, query.limit + 1, ({ workspace }) =>
    workspace.select(getTableColumns(tags)).from(tags).where(sql`${tags.id} IN (${ids})`).orderBy(asc(tags.id)),
  );
  return toPage(rows, query.limit, (row) => [row.id], presentTag);
}

/** Renames a tag or gives it another colour. Its documents keep it. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateTag(
  context: Context,
  tagId: string,
  given: { name?: string | undefined; color?: TagRow["color"] | undefined },
  precondition: Precondition,
) {
  const row = await requireTag(context, tagId, WRITE);
  checkPrecondition(precondition, row.revision);
  const name = given.name ?? row.name;
  const written = {
    name,
    word: tagWord(name),
    color: given.color ?? row.color,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  const change = beginChange(context, row.tenantId)
    .add(
      context.workspace
        .update(tags)
        .set(written)
        .where(and(eq(tags.id, row.id), eq(tags.revision, row.revision))),
    )
    .guardChanged(staleRevision());
  try {
    await change.commit();
  } catch (thrown) {
    throw isUniqueViolation(thrown) ? nameTaken() : thrown;
  }
  return presentTag({ ...row, ...written });
}

/** Deletes a tag. Its documents stay, without it. @throws DomainError 401, 403, 404, 409, 412. */
export async function deleteTag(context: Context, tagId: string, precondition: Precondition): Promise<void> {
  const row = await requireTag(context, tagId, WRITE);
  checkPrecondition(precondition, row.revision);
  await beginChange(context, row.tenantId)
    .guard(sql`EXISTS (SELECT 1 FROM ${tags} WHERE ${tags.id} = ${row.id})`, notFound())
    .add(context.workspace.delete(tags).where(and(eq(tags.id, row.id), eq(tags.revision, row.revision))))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "tag.deleted",
        subjectType: "tag",
        subjectId: row.id,
        details: { name: row.name },
      }),
    )
    .commit();
}

/** The ids of the tags of this workspace among `ids`. The caller needs Read of the documents of the whole workspace. */
export async function usableTags(
  { workspace }: Pick<Context, "workspace">,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await workspace
    .select({ id: tags.id })
    .from(tags)
    .where(and(inSet(tags.id, ids), eq(tags.tenantId, tenantId)));
  return new Set(rows.map(({ id }) => id));
}
