import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { holds, READ, type ResourcePath, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden } from "../../platform/errors";
import { sayTo } from "../../platform/languages/reader";
import { type DocumentRow, documentPath, type FoundDocument, pathSchema, requireDocument } from "../document";
import { CONTAINED_FILES_STATUSES, type ContainedFiles, documentVersions } from "../tables";
import { setContainedFiles } from "../versions/versions";

export const containedFilesSchema = z
  .object({
    version: z.int().openapi({ description: "The version of the document, which is its newest one." }),
    status: z.enum(["none", ...CONTAINED_FILES_STATUSES]).openapi({
      description:
        "`none`: nobody has asked to take the files out. `running`: a job takes them out. `stopped`: it could not go on, and `reason` says why.",
    }),
    path: z.string().nullable().openapi({
      description:
        "The folder of the new documents, in the location of the document. Null if they are in another location, or if you may not see it.",
    }),
    total: z.int().nullable().openapi({ description: "Files inside the document. Null until they are counted." }),
    done: z.int().openapi({ description: "Files that are documents now." }),
    reason: z.string().nullable().openapi({ description: "What happened, and what you can do." }),
  })
  .openapi("ContainedFiles");

function present(context: Context, { document, version }: FoundDocument, state: ContainedFiles | null) {
  // The folder can be in a location that the document has left, or that the reader of this document alone does not see.
  const isSeen =
    state?.locationId === document.locationId && holds(requireUser(context), "Documents", placeOf(document));
  return {
    version: version.version,
    status: state?.status ?? ("none" as const),
    path: isSeen ? state.path : null,
    total: state?.total ?? null,
    done: state === null ? 0 : state.done - state.unread,
    reason: state === null || state.reason === null ? null : sayTo(context, state.reason),
  };
}

/** The place of the documents beside a document. */
function placeOf(document: DocumentRow): ResourcePath {
  const { documentId: _, ...place } = documentPath(document);
  return place;
}

/** How far the files inside a document have become documents. @throws DomainError 401, 404. */
export async function readContainedFiles(context: Context, documentId: string) {
  const found = await requireDocument(context, documentId, READ);
  return present(context, found, found.version.containedFiles);
}

/**
 * Begins to make documents of the files inside a document, in a folder beside it. If it has begun or is done for this version, nothing
 * is made twice. If it has stopped, it goes on behind the files that are documents already.
 * @throws DomainError 401, 403, 404.
 */
export async function takeOutFiles(context: Context, documentId: string) {
  const caller = requireUser(context);
  const found = await requireDocument(context, documentId, WRITE);
  const { document, version: row } = found;
  // The new documents are documents of the location: Write of this document alone is not enough.
  if (!holds(caller, "Documents", placeOf(document), WRITE))
    throw forbidden("You may not add documents to the location of this document.");
  const before = row.containedFiles;
  if (before?.status === "done") return present(context, found, before);
  const { tenantId, locationId } = document;
  const of = { documentId, version: row.version };
  const change = beginChange(context, tenantId);
  if (before?.status !== "running") {
    const begun: ContainedFiles = {
      ...{ status: "running", path: before?.path ?? folderOf(document), locationId, total: before?.total ?? null },
      ...{ done: before?.done ?? 0, unread: before?.unread ?? 0, reason: null, createdBy: caller.userId },
    };
    // One of several requests at once begins.
    change.add(setContainedFiles(context, of, begun, isStill(before)));
  }
  // Also for a state that runs, because a restored backup has no jobs. Of two jobs that run at once, one ends.
  const dedupeKey = `take-out-files:${documentId}:${row.version}`;
  change.job("take-out-files", of, { tenantId, requestedBy: caller.userId, dedupeKey });
  await change.commit();
  return readContainedFiles(context, documentId);
}

/** Condition: a version has still this state. */
export const isStill = (state: ContainedFiles | null): SQL =>
  sql`${documentVersions.containedFiles} IS ${state && JSON.stringify(state)}`;

/** The folder of the files: the folder and the name of the outer document. Its folder alone, if that is too long or no name. */
function folderOf({ path, fileName }: DocumentRow): string {
  const stem = fileName.replace(/\.[a-z0-9]{1,8}$/i, "");
  const folder = path === "" ? stem : `${path}/${stem}`;
  return pathSchema.safeParse(folder).success ? folder : path;
}
