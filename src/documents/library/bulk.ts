import { z } from "@hono/zod-openapi";
import { and, gt, sql } from "drizzle-orm";
import { holds, READ, requireUser, type UserCaller, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { inSet } from "../../platform/db/statements";
import { DomainError, forbidden, notFound, refusalOfAll } from "../../platform/errors";
import { staleRevision } from "../../platform/http/revision";
import { idSchema } from "../../platform/ids";
import { findLocation, type LocationRow, locationPath, notInTrash, parentDeleted } from "../../workspace";
import { locations, trash } from "../../workspace/tables";
import { type DocumentRow, documentPath, fileNameSchema, pathSchema, requireShortName } from "../document";
import { MAX_CHANGED_DOCUMENTS, MAX_TAGS_PER_DOCUMENT } from "../limits";
import { documents, documentTags } from "../tables";
import { usableTags } from "../tags/tags";
import {
  addDeletions,
  addMoves,
  addRestorations,
  addTaggings,
  type DocumentMove,
  documentNameTaken,
  nameKey,
  readNamed,
  type Tagging,
} from "./changes";
import { requireVisible } from "./list";
import { presentRefusal, refusalSchema } from "./refusals";

const documentId = idSchema;
const baseRevision = z.int().min(1).optional();
const tagIds = z.array(idSchema).max(MAX_TAGS_PER_DOCUMENT).default([]);

const bulkChange = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("move"),
      documentId,
      path: pathSchema.optional(),
      fileName: fileNameSchema.optional(),
      locationId: idSchema.optional(),
      baseRevision,
    }),
    z.strictObject({ type: z.literal("tag"), documentId, add: tagIds, remove: tagIds, baseRevision }),
    z.strictObject({ type: z.literal("delete"), documentId, baseRevision }),
    z.strictObject({ type: z.literal("restore"), documentId }),
  ])
  .openapi("DocumentChange");
type BulkChange = z.infer<typeof bulkChange>;

export const bulkBody = z
  .strictObject({
    changes: z
      .array(bulkChange)
      .min(1)
      .max(MAX_CHANGED_DOCUMENTS)
      .refine(
        (changes) => new Set(changes.map((one) => one.documentId)).size === changes.length,
        "name each document once",
      ),
  })
  .openapi("DocumentChanges");

export const bulkSchema = z
  .object({
    results: z.array(
      z
        .object({
          documentId: idSchema,
          error: refusalSchema,
        })
        .openapi("DocumentChangeResult"),
    ),
    undo: z.array(bulkChange).openapi({ description: "The changes that take back what this request has done." }),
  })
  .openapi("DocumentChangeResults");

/** What the changes of a request need to know: it is read in some statements, however many changes there are. */
interface Known {
  caller: UserCaller;
  rows: ReadonlyMap<string, DocumentRow>;
  /** The locations of the workspace that are not deleted, of those that the documents are in or move to. */
  locations: ReadonlyMap<string, LocationRow>;
  restorable: ReadonlySet<string>;
  /** The tags of each document, and the tags that the caller may give. */
  tagsOf: ReadonlyMap<string, readonly string[]>;
  usable: ReadonlySet<string>;
  /** The documents that have the wanted names, by location and full name. */
  named: ReadonlyMap<string, string>;
}

/** The place and name that a change wants for a document. Null if it wants none. */
function wanted(change: BulkChange, row: DocumentRow): Pick<DocumentRow, "locationId" | "path" | "fileName"> | null {
  if (change.type === "restore") return row;
  if (change.type !== "move") return null;
  const { path = row.path, fileName = row.fileName, locationId = row.locationId } = change;
  return { path, fileName, locationId };
}

const grouped = (pairs: readonly { documentId: string; tagId: string }[]): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const { documentId, tagId } of pairs) found.set(documentId, [...(found.get(documentId) ?? []), tagId]);
  return found;
};

async function read(context: Context, tenant: LocationRow, changes: readonly BulkChange[]): Promise<Known> {
  const { workspace, now } = context;
  const caller = requireUser(context);
  const ids = changes.map((change) => change.documentId);
  const inWorkspace = and(
    inSet(documents.id, ids),
    sql`+${documents.tenantId} = ${tenant.tenantId}`,
    gt(documents.latestVersion, 0),
  );
  const rows = new Map((await workspace.select().from(documents).where(inWorkspace)).map((row) => [row.id, row]));
  const places = changes.flatMap((change) => {
    const row = rows.get(change.documentId);
    const place = row === undefined ? null : wanted(change, row);
    return [...(row === undefined ? [] : [row.locationId]), ...(place === null ? [] : [place.locationId])];
  });
  const names = changes.flatMap((change) => {
    const row = rows.get(change.documentId);
    const place = row === undefined ? null : wanted(change, row);
    return place === null ? [] : [place];
  });
  const [found, entries, pairs, named, usable] = await Promise.all([
    workspace
      .select()
      .from(locations)
      .where(and(inSet(locations.id, [...new Set(places)]), sql`+${locations.tenantId} = ${tenant.tenantId}`)),
    workspace
      .select({ id: trash.resourceId })
      .from(trash)
      .where(and(inSet(trash.resourceId, ids), gt(trash.purgeAt, now))),
    workspace.select().from(documentTags).where(inSet(documentTags.documentId, ids)),
    readNamed(context, names),
    usableTags(
      context,
      tenant.tenantId,
      changes.flatMap((change) => (change.type === "tag" ? change.add : [])),
    ),
  ]);
  const workspaceWide = { tenantId: tenant.tenantId, organizationId: tenant.organizationId };
  return {
    caller,
    rows,
    locations: new Map(found.filter(({ deletedAt }) => deletedAt === null).map((row) => [row.id, row])),
    restorable: new Set(entries.map(({ id }) => id)),
    tagsOf: grouped(pairs),
    usable: holds(caller, "Documents", workspaceWide, READ) ? usable : new Set(),
    named,
  };
}

/** The changes that are allowed, by kind. */
interface Allowed {
  moves: DocumentMove[];
  taggings: Tagging[];
  deletions: DocumentRow[];
  restorations: DocumentRow[];
  undo: BulkChange[];
}

const inTrash = (): DomainError => new DomainError("conflict", "The document is in the trash. Restore it first.");

/** Takes a name for a document. @throws DomainError already-exists if another document has it. */
function takeName(names: Map<string, string>, id: string, place: Parameters<typeof nameKey>[0]): void {
  const key = nameKey(place);
  if ((names.get(key) ?? id) !== id) throw documentNameTaken();
  names.set(key, id);
}

/** Adds one change to those that are allowed. @throws DomainError the refusal of this change. */
function allow(change: BulkChange, known: Known, names: Map<string, string>, allowed: Allowed): void {
  const row = known.rows.get(change.documentId);
  if (row === undefined) throw notFound();
  const { caller } = known;
  const path = documentPath(row);
  const mayWrite = holds(caller, "Documents", path, WRITE);
  if (change.type !== "restore" && !known.locations.has(row.locationId)) throw notFound();
  if (change.type !== "restore" && row.deletedAt !== null) throw mayWrite ? inTrash() : notFound();
  if (!mayWrite) throw holds(caller, "Documents", path, READ) ? forbidden() : notFound();
  const base = "baseRevision" in change ? change.baseRevision : undefined;
  if (base !== undefined && base !== row.revision) throw staleRevision(row.revision);
  const next = { documentId: row.id, baseRevision: row.revision + 1 };
  switch (change.type) {
    case "move": {
      const place = wanted(change, row) ?? row;
      const target = known.locations.get(place.locationId);
      const moves = place.locationId !== row.locationId;
      if (target === undefined || !(holds(caller, "LocationView", locationPath(target)) || !moves)) throw notFound();
      if (moves && !holds(caller, "Documents", locationPath(target), WRITE)) throw forbidden();
      requireShortName(place);
      takeName(names, row.id, place);
      allowed.moves.push({ row, next: { ...place, clusterId: target.clusterId } });
      const { path: formerPath, fileName, locationId } = row;
      allowed.undo.push({ type: "move", ...next, path: formerPath, fileName, locationId });
      return;
    }
    case "tag": {
      const has = new Set(known.tagsOf.get(row.id));
      if (change.add.some((id) => !has.has(id) && !known.usable.has(id))) throw notFound();
      const remove = change.remove.filter((id) => has.has(id) && !change.add.includes(id));
      const add = [...new Set(change.add)].filter((id) => !has.has(id));
      if (has.size + add.length - remove.length > MAX_TAGS_PER_DOCUMENT)
        throw new DomainError(
          "rule-violated",
          `This document would have more than ${MAX_TAGS_PER_DOCUMENT} tags. Take some of its tags away.`,
        );
      if (add.length + remove.length === 0) return;
      allowed.taggings.push({ row, add, remove });
      allowed.undo.push({ type: "tag", ...next, add: remove, remove: add });
      return;
    }
    case "delete":
      allowed.deletions.push(row);
      allowed.undo.push({ type: "restore", documentId: row.id });
      return;
    case "restore":
      if (row.deletedAt === null) throw notInTrash();
      if (!known.locations.has(row.locationId)) throw parentDeleted();
      if (!known.restorable.has(row.id)) throw notFound();
      takeName(names, row.id, row);
      allowed.restorations.push(row);
      allowed.undo.push({ type: "delete", ...next });
  }
}

/**
 * Moves, tags, deletes and restores documents of one workspace. All allowed changes are one change; the others have an
 * error in their result. @throws DomainError 401, 404; an error of a change if none is allowed; 409 conflict,
 * stale-revision or already-exists if documents were changed in the meantime, then nothing has changed; 507.
 */
export async function changeDocuments(
  context: Context,
  locationId: string,
  changes: readonly BulkChange[],
): Promise<z.infer<typeof bulkSchema>> {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null) throw notFound();
  const known = await read(context, location, changes);
  const allowed: Allowed = { moves: [], taggings: [], deletions: [], restorations: [], undo: [] };
  const names = new Map(known.named);
  const refusals: (DomainError | null)[] = changes.map((change) => {
    try {
      allow(change, known, names, allowed);
      return null;
    } catch (thrown) {
      if (thrown instanceof DomainError) return thrown;
      throw thrown;
    }
  });
  // A guest sees the location of a document that is in the trash by that document alone.
  if (!changes.some((one, i) => refusals[i] === null && known.rows.get(one.documentId)?.locationId === locationId))
    await requireVisible(context, caller, location);
  const refusal = refusalOfAll(refusals);
  if (refusal !== undefined) throw refusal;
  const change = beginChange(context, location.tenantId);
  addMoves(context, change, allowed.moves);
  addTaggings(context, change, allowed.taggings);
  addDeletions(context, change, allowed.deletions);
  await addRestorations(context, change, allowed.restorations);
  try {
    await change.commit();
  } catch (thrown) {
    throw isUniqueViolation(thrown) ? documentNameTaken() : thrown;
  }
  const results = changes.map(({ documentId }, i) => ({ documentId, error: presentRefusal(context, refusals[i]) }));
  return { results, undo: allowed.undo };
}
