import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { holds, READ, requireUser, scopeOf, type UserCaller } from "../../access";
import type { Context } from "../../platform/context";
import { cursorOf, MAX_PAGE_SIZE, pageQuery, readCursor } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { inSet } from "../../platform/db/statements";
import { notFound } from "../../platform/errors";
import { numberSchema } from "../../platform/http/fields";
import { idSchema } from "../../platform/ids";
import { instantSchema } from "../../platform/time";
import { findLocation, type LocationRow, locationPath } from "../../workspace";
import { type FoundDocument, pathSchema, presentDocument, selectDocuments } from "../document";
import { MAX_EXAMINED_DOCUMENTS, MAX_LISTED_IDS } from "../limits";
import { DOCUMENT_KINDS, documentPublished, documents, documentTags, TEXT_STATUSES } from "../tables";

export const DOCUMENT_SORTS = ["path", "name", "kind", "size", "changed", "addedBy"] as const;
type DocumentSort = (typeof DOCUMENT_SORTS)[number];

const listQuery = pageQuery.extend({
  path: pathSchema.default("").openapi({ description: "Lists only documents in this folder and below it." }),
  below: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true")
    .openapi({ type: "boolean", description: "Whether the list has the documents of the folders below, too." }),
  sort: z
    .enum(DOCUMENT_SORTS)
    .default("path")
    .openapi({
      description:
        "`path`: folder, then file name, by their characters. `name`: the file name in natural order (`plan 2` before " +
        "`plan 10`). `addedBy`: together by person.",
    }),
  order: z.enum(["asc", "desc"]).default("asc"),
  kind: z.enum(DOCUMENT_KINDS).optional(),
  textStatus: z.enum(TEXT_STATUSES).optional(),
  tagId: idSchema.optional(),
  createdBy: idSchema.optional().openapi({ description: "Lists only documents that this person has added." }),
  changedFromUtc: instantSchema
    .optional()
    .openapi({ description: "Lists only documents that were changed then or later." }),
  changedBeforeUtc: instantSchema.optional().openapi({ description: "Lists only documents that were changed before." }),
});

export const documentQuery = listQuery.extend({
  ids: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(idSchema).max(MAX_PAGE_SIZE))
    .optional()
    .openapi({
      type: "string",
      description:
        `Lists only these documents, at most ${MAX_PAGE_SIZE}: their ids with commas between them. A client that shows a ` +
        "list reads what has changed so.",
    }),
});
/** A query for the ids alone, of which a page has more. */
export const documentIdQuery = listQuery.extend({
  limit: numberSchema(1, MAX_LISTED_IDS).default(MAX_LISTED_IDS),
});

/** What a list shows. `ids`: only of these. */
export type DocumentQuery = z.output<typeof listQuery> & { ids?: readonly string[] | undefined };

/** A row of documents, as a statement of this file names it. */
const c = (column: string): SQL => sql.raw(`c.${column}`);

interface Sorting {
  /** Each sorting has an index of its location with these columns in this order. The last one makes the key unique. */
  keys: readonly string[];
  shape: z.ZodType<readonly (string | number)[]>;
  /** The key of a document. */
  keyOf: (found: FoundDocument["document"]) => readonly (string | number)[];
}

const [line, whole] = [z.string(), z.int()];

/** By the name of the sorting. Persons are in the order of their ids: together, but not in the order of their names. */
const SORTINGS: Readonly<Record<DocumentSort, Sorting>> = {
  path: {
    keys: ["path", "file_name"],
    shape: z.tuple([line, line]),
    keyOf: ({ path, fileName }) => [path, fileName],
  },
  name: {
    keys: ["sort_name", "id"],
    shape: z.tuple([line, line]),
    keyOf: ({ sortName, id }) => [sortName, id],
  },
  kind: {
    keys: ["kind", "sort_name", "id"],
    shape: z.tuple([line, line, line]),
    keyOf: ({ kind, sortName, id }) => [kind, sortName, id],
  },
  size: {
    keys: ["size_bytes", "id"],
    shape: z.tuple([whole, line]),
    keyOf: ({ sizeBytes, id }) => [sizeBytes, id],
  },
  changed: {
    keys: ["updated_at", "id"],
    shape: z.tuple([whole, line]),
    keyOf: ({ updatedAt, id }) => [updatedAt, id],
  },
  addedBy: {
    keys: ["added_by", "sort_name", "id"],
    shape: z.tuple([line, line, line]),
    keyOf: ({ createdBy, sortName, id }) => [createdBy ?? "", sortName, id],
  },
};

/**
 * Condition: one of these documents, in a location. The unary plus makes the planner use the few ids instead of the location's
 * index.
 */
export const named = (ids: readonly string[], locationId: string): SQL =>
  sql`${inSet(c("id"), ids)} AND ${sql.raw("+c.location_id")} = ${locationId}`;

/**
 * Condition: a document of the location that the caller may read. It is every document if the caller has the level at
 * the location, otherwise the documents with a grant. `ids` limits them. The cost depends on the page, the ids or the
 * grants, not on the location's size.
 */
export function readable(caller: UserCaller, location: LocationRow, ids?: readonly string[]): SQL {
  if (holds(caller, "Documents", locationPath(location)))
    return ids === undefined ? sql`${c("location_id")} = ${location.id}` : named(ids, location.id);
  const granted = scopeOf(caller.facts, "Documents", "document").documents;
  if (ids === undefined) return named(granted, location.id);
  const asked = new Set(ids);
  return named(
    granted.filter((id) => asked.has(id)),
    location.id,
  );
}

/** Condition: in a folder or below it. It is a range of the index, because "/" sorts just before "0". */
const inTree = (path: string): SQL =>
  sql`(${c("path")} = ${path} OR ${c("path")} >= ${`${path}/`} AND ${c("path")} < ${`${path}0`})`;

/** The conditions of a query: those that the index of the sorting answers, and those that are tested row by row. */
function conditionsOf(query: DocumentQuery): { indexed: SQL[]; tested: SQL[] } {
  const { sort, path, below, kind, textStatus, tagId, createdBy, changedFromUtc, changedBeforeUtc } = query;
  const [indexed, tested]: [SQL[], SQL[]] = [[], []];
  const add = (condition: SQL, isIndexed = false) => (isIndexed ? indexed : tested).push(condition);
  if (!below) add(sql`${c("path")} = ${path}`, sort === "path" || sort === "name");
  else if (path !== "") add(inTree(path), sort === "path");
  if (kind !== undefined) add(sql`${c("kind")} = ${kind}`, sort === "kind");
  if (createdBy !== undefined) add(sql`${c("added_by")} = ${createdBy}`, sort === "addedBy");
  if (changedFromUtc !== undefined) add(sql`${c("updated_at")} >= ${changedFromUtc}`, sort === "changed");
  if (changedBeforeUtc !== undefined) add(sql`${c("updated_at")} < ${changedBeforeUtc}`, sort === "changed");
  if (textStatus !== undefined) add(sql`${c("text_status")} = ${textStatus}`);
  if (tagId !== undefined)
    add(sql`EXISTS (SELECT 1 FROM ${documentTags} AS t WHERE t.document_id = c.id AND t.tag_id = ${tagId})`);
  return { indexed, tested };
}

const all = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`1` : sql.join([...conditions], sql` AND `);

/** What a page of a list reads: the candidates in the order of their keys, and the conditions on them. */
interface ListPlan {
  candidates: SQL;
  tested: readonly SQL[];
  keys: readonly string[];
  /** ASC or DESC. */
  direction: string;
}

/** The candidates of a page after a key. `base` limits them to documents that the caller may read. */
export function planOf(base: SQL, query: DocumentQuery, after: readonly (string | number)[] | null): ListPlan {
  const { keys } = SORTINGS[query.sort];
  const list = sql.raw(keys.map((key) => `c.${key}`).join(", "));
  const { indexed, tested } = conditionsOf(query);
  const [direction, later] = query.order === "asc" ? ["ASC", sql`>`] : ["DESC", sql`<`];
  const values = (after ?? []).map((value) => sql`${value}`);
  const beyond = after === null ? [] : [sql`(${list}) ${later} (${sql.join(values, sql`, `)})`];
  return { candidates: all([base, documentPublished("c"), ...indexed, ...beyond]), tested, keys, direction };
}

/** The order of a page. `row` is the documents table of the statement, or its alias. */
const ordered = ({ keys, direction }: ListPlan, row = "c"): SQL =>
  sql.raw(keys.map((key) => `${row}.${key} ${direction}`).join(", "));

/** The ids of a page. A filter looks at a limited number of candidates, so that a rare match costs no more. */
const idsOf = (plan: ListPlan, limit: number): SQL =>
  plan.tested.length === 0
    ? sql`SELECT c.id FROM ${documents} AS c WHERE ${plan.candidates} ORDER BY ${ordered(plan)} LIMIT ${limit}`
    : sql`SELECT c.id FROM (SELECT c.* FROM ${documents} AS c WHERE ${plan.candidates} ORDER BY ${ordered(plan)} LIMIT ${MAX_EXAMINED_DOCUMENTS}) AS c
        WHERE ${all(plan.tested)} ORDER BY ${ordered(plan)} LIMIT ${limit}`;

/** Reads the documents of a page, in order. The unary plus makes the planner sort the few rows, and not walk an index. */
export const readPage = (workspace: WorkspaceDatabase, plan: ListPlan, limit: number) =>
  selectDocuments(workspace, sql`${documents.id} IN (${idsOf(plan, limit)})`).orderBy(ordered(plan, "+documents"));

const keyList = ({ keys }: ListPlan): SQL => sql.raw(keys.map((key) => `c.${key}`).join(", "));
const keyIn = (json: string) => z.array(z.union([line, whole])).parse(JSON.parse(json));

/** The key of the last candidate that a page has examined; null if it has examined all of them. */
async function lastExamined(workspace: WorkspaceDatabase, plan: ListPlan) {
  const [row] = await workspace.all<{ key: string }>(sql`
    SELECT json_array(${keyList(plan)}) AS "key" FROM ${documents} AS c
    WHERE ${plan.candidates} ORDER BY ${ordered(plan)} LIMIT 1 OFFSET ${MAX_EXAMINED_DOCUMENTS - 1}`);
  return row === undefined ? null : keyIn(row.key);
}

/** The ids of a page with the keys of their documents, in order. */
const readIds = (workspace: WorkspaceDatabase, plan: ListPlan, limit: number) =>
  workspace.all<{ id: string; key: string }>(sql`
    SELECT c.id AS "id", json_array(${keyList(plan)}) AS "key" FROM ${documents} AS c
    WHERE c.id IN (${idsOf(plan, limit)}) ORDER BY ${ordered(plan, "+c")}`);

/** Begins a page of a list: checks access and the cursor. @throws DomainError not-found, invalid-cursor. */
async function beginPage(context: Context, locationId: string, query: DocumentQuery) {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null) throw notFound();
  const { sort, order } = query;
  const { shape, keyOf } = SORTINGS[sort];
  // A cursor of another order is refused. The first order has cursors without its name.
  const named = sort === "path" && order === "asc" ? null : `${sort} ${order}`;
  const shapeOfCursor =
    named === null
      ? shape
      : z.tuple([z.literal(named)], z.union([line, whole])).transform(([, ...key]) => shape.parse(key));
  const after = readCursor(query.cursor, shapeOfCursor);
  await requireVisible(context, caller, location);
  const plan = planOf(readable(caller, location, query.ids), query, after);
  /** The cursor after a page. `last` is the key of its last document if there are more; else null. */
  const cursorAfter = async (last: readonly (string | number)[] | null): Promise<string | null> => {
    const key = last ?? (plan.tested.length > 0 ? await lastExamined(context.workspace, plan) : null);
    return key === null ? null : cursorOf(named === null ? key : [named, ...key]);
  };
  return { plan, keyOf, cursorAfter };
}

/**
 * Lists the documents of a location that the caller may read. A page of a filtered list can be short and have a cursor.
 * @throws DomainError not-found if neither the location nor a document in it is visible; invalid-cursor.
 */
export async function listDocuments(context: Context, locationId: string, query: DocumentQuery) {
  const { plan, keyOf, cursorAfter } = await beginPage(context, locationId, query);
  const { limit } = query;
  const rows = await readPage(context.workspace, plan, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((found) => presentDocument(context, found)),
    nextCursor: await cursorAfter(rows.length > limit && last !== undefined ? keyOf(last.document) : null),
  };
}

/** Lists the ids of the same documents. @throws DomainError as `listDocuments`. */
export async function listDocumentIds(context: Context, locationId: string, query: DocumentQuery) {
  const { plan, cursorAfter } = await beginPage(context, locationId, query);
  const { limit } = query;
  const rows = await readIds(context.workspace, plan, limit + 1);
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(({ id }) => id),
    nextCursor: await cursorAfter(rows.length > limit && last !== undefined ? keyIn(last.key) : null),
  };
}

/** Requires that the caller sees the location or a document in it. @throws DomainError not-found. */
export async function requireVisible({ workspace }: Context, caller: UserCaller, location: LocationRow): Promise<void> {
  const place = locationPath(location);
  if (holds(caller, "LocationView", place, READ) || holds(caller, "Documents", place, READ)) return;
  const [found] = await workspace.all(
    sql`SELECT 1 FROM ${documents} AS c WHERE ${readable(caller, location)} AND ${documentPublished("c")} LIMIT 1`,
  );
  if (found === undefined) throw notFound();
}
