import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { holds, READ, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden } from "../../platform/errors";
import { sayTo } from "../../platform/languages/reader";
import { documentPath, type FoundDocument, pathSchema, requireDocument } from "../document";
import { CONTAINED_FILES_STATUSES, type ContainedFiles, type documents, documentVersions } from "../tables";
import { setContainedFiles } from "../versions/versions";

export const containedFilesSchema = z
  .object({
    version: z.int().openapi({ description: "The version of the document, which is its newest one." }),
    status: z.enum(["none", ...CONTAINED_FILES_STATUSES]).openapi({
      description:
        "`none`: nobody has asked to take the files out. `running`: a job takes them out. `stopped`: it could not go on, and `reason` says why.",
    }),
    path: z.string().nullable().openapi({ description: "The folder of the new documents, in the same location." }),
    total: z.int().nullable().openapi({ description: "Files inside the document. Null until they are counted." }),
    done: z.int().openapi({ description: "Files that are documents now." }),
    reason: z.string().nullable().openapi({ description: "What happened, and what you can do." }),
  })
  .openapi("ContainedFiles");

const present = (context: Context, { version }: FoundDocument, state: ContainedFiles | null) => ({
  version: version.version,
  status: state?.status ?? ("none" as const),
  path: state?.path ?? null,
  total: state?.total ?? null,
  done: state === null ? 0 : state.done - state.unread,
  reason: state === null || state.reason === null ? null : sayTo(context, state.reason),
});

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
  const { documentId: _, ...place } = documentPath(document);
  if (!holds(caller, "Documents", place, WRITE))
    throw forbidden("You may not add documents to the location of this document.");
  const before = row.containedFiles;
  if (before !== null && before.status !== "stopped") return present(context, found, before);
  const begun: ContainedFiles = {
    ...{ status: "running", path: before?.path ?? folderOf(document), total: before?.total ?? null },
    ...{ done: before?.done ?? 0, unread: before?.unread ?? 0, reason: null, createdBy: caller.userId },
  };
  const { tenantId } = document;
  const of = { documentId, version: row.version };
  // One of several requests at once begins.
  const isUnchanged = sql`${documentVersions.containedFiles} IS ${before && JSON.stringify(before)}`;
  const change = beginChange(context, tenantId).add(setContainedFiles(context, of, begun, isUnchanged));
  change.job("take-out-files", of, { tenantId, requestedBy: caller.userId, when: sql`changes() > 0` });
  await change.commit();
  return readContainedFiles(context, documentId);
}

/** Condition: a job takes the files of the version out. */
export const isRunning = sql`${documentVersions.containedFiles} ->> 'status' = 'running'`;

/** The folder of the files: the folder and the name of the outer document. Its folder alone, if that is too long or no name. */
function folderOf({ path, fileName }: typeof documents.$inferSelect): string {
  const stem = fileName.replace(/\.[a-z0-9]{1,8}$/i, "");
  const folder = path === "" ? stem : `${path}/${stem}`;
  return pathSchema.safeParse(folder).success ? folder : path;
}
