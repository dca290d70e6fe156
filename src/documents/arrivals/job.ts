import { z } from "@hono/zod-openapi";
import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import {
  complete,
  continueLater,
  type JobHandler,
  type Outcome,
  type RecurringHandler,
} from "../../platform/jobs/handlers";
import { releaseObjects, requireFreeStorage } from "../../uploads";
import { type DeletionStep, findLocation, hasLocations, type LocationRow } from "../../workspace";
import { locations } from "../../workspace/tables";
import {
  ARRIVAL_RETENTION_MS,
  EXPIRED_ARRIVALS_PER_SLICE,
  FILED_DOCUMENTS_PER_SLICE,
  MAX_ATTACHMENTS,
  WHOLE_MAIL_DELAY_MS,
} from "../limits";
import { type ArrivalReason, mailArrivals } from "../tables";
import { addGeneratedVersion, setContainedFiles } from "../versions/versions";
import type { ArrivalRow } from "./addresses";
import { queueAnswer } from "./answers";
import { attachmentsOf, wholeMail } from "./contents";
import { freeNames } from "./names";
import { mayAdd } from "./senders";

/** The number of documents that the slices before have filed. Null in the first slice. */
const stateSchema = z.strictObject({ filed: z.int() }).nullable();

const isWaiting = (id: string) => and(eq(mailArrivals.id, id), eq(mailArrivals.status, "waiting"));

/** Adds the end of an arrival to `change`: its row, and the release of the stored mail. */
function end(context: Context, change: Change, row: ArrivalRow, result: Partial<ArrivalRow>): Change {
  change.add(
    context.workspace
      .update(mailArrivals)
      .set({ ...result, rawKey: null, finishedAt: Date.now() })
      .where(isWaiting(row.id)),
  );
  if (row.rawKey !== null) releaseObjects(context, change, sql`SELECT ${row.rawKey}`);
  return change;
}

/** Refuses a mail that was taken. The documents that were filed before stay. */
function refuse(context: Context, row: ArrivalRow, reason: ArrivalReason, more: Partial<ArrivalRow> = {}): Outcome {
  const refused = { status: "refused" as const, reason, ...more };
  const change = end(context, beginChange(context, row.tenantId), row, refused);
  queueAnswer(change, { ...row, ...refused });
  return complete(change);
}

async function readMail({ objects }: Context, { rawKey, sizeBytes }: ArrivalRow): Promise<Uint8Array<ArrayBuffer>> {
  const object = rawKey === null ? null : await objects.read(rawKey);
  if (object === null) throw new Error("the object of a mail is missing");
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const piece of object.body) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Refuses the mail unless all that it becomes fits into the storage now. @throws DomainError storage-full. */
async function requireRoom(context: Context, location: LocationRow, bytes: number): Promise<void> {
  const change = beginChange(context, location.tenantId);
  requireFreeStorage(context, change, location, bytes);
  await change.commit();
}

const isFull = (thrown: unknown): boolean => thrown instanceof DomainError && thrown.code === "storage-full";

async function file(context: Context, row: ArrivalRow, filed: number | null, isWhole: boolean): Promise<Outcome> {
  const location = await findLocation(context, row.locationId);
  if (location === null) return refuse(context, row, "location-deleted");
  if (!(await mayAdd(context, location, row.actsFor))) return refuse(context, row, "person-left");
  const bytes = await readMail(context, row);
  const attachments = isWhole ? null : await attachmentsOf(bytes);
  const contents = [...(attachments ?? []), wholeMail(bytes, row.subject)];
  if (filed === null) {
    if (contents.length > MAX_ATTACHMENTS + 1)
      return refuse(context, row, "too-many-attachments", { named: String(MAX_ATTACHMENTS) });
    const { kinds } = row;
    const other = kinds === null ? undefined : attachments?.find(({ kind }) => !kinds.includes(kind));
    if (other !== undefined) return refuse(context, row, "kind-not-allowed", { named: other.fileName });
    const sizes = contents.reduce((sum, content) => sum + content.bytes.length, 0);
    await requireRoom(context, location, sizes);
  }
  const begin = filed ?? 0;
  const slice = contents.slice(begin, begin + FILED_DOCUMENTS_PER_SLICE);
  const place = { locationId: location.id, path: row.path };
  const names = await freeNames(
    context,
    place,
    slice.map(({ fileName }) => fileName),
  );
  const change = beginChange(context, row.tenantId);
  let documentId: string | null = null;
  for (const [n, { contentType, bytes: own }] of slice.entries()) {
    const isMail = begin + n === contents.length - 1;
    const made = await addGeneratedVersion(context, change, location, {
      ...{ document: null, path: row.path, fileName: names[n] ?? "", contentType, bytes: own, createdBy: row.actsFor },
      mailed: isMail ? { attachments: contents.length - 1 } : "attachment",
    });
    documentId = made.documentId;
  }
  const done = begin + slice.length;
  const progress = { done, total: contents.length };
  const counted = { documents: row.documents + slice.length };
  if (done < contents.length) {
    change.add(context.workspace.update(mailArrivals).set(counted).where(isWaiting(row.id)));
    return continueLater({ filed: done }, { change, progress });
  }
  const reason = attachments === null ? ("unreadable" as const) : null;
  const total = contents.length - 1;
  // The attachments are documents: nobody needs to take them out of the mail.
  if (documentId !== null && total > 0) {
    const taken = {
      path: row.path,
      locationId: location.id,
      total,
      done: total,
      unread: 0,
      reason: null,
      createdBy: row.actsFor,
    };
    change.add(setContainedFiles(context, { documentId, version: 1 }, { status: "done", ...taken }, sql`1`));
  }
  end(context, change, row, { status: "filed", ...counted, documentId, reason });
  return complete(change, progress);
}

/**
 * Files a mail that was taken: each attachment becomes a document, and at last the mail itself. A slice commits its documents with
 * the state of the job, so a worker that is killed repeats nothing.
 */
export const fileArrival: JobHandler<"file-arrival"> = {
  async run(context, { payload: { arrivalId, isWhole = false }, state }) {
    const [row] = await context.workspace.select().from(mailArrivals).where(isWaiting(arrivalId));
    if (row === undefined) return complete();
    const filed = stateSchema.parse(state)?.filed ?? null;
    try {
      return await file(context, row, filed, isWhole);
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown;
      return refuse(context, row, "storage-full");
    }
  },
  /** Nothing that was taken is lost: it is filed later, as a whole. */
  failed(_context, { payload: { arrivalId }, tenantId }, change) {
    change.job("file-arrival", { arrivalId, isWhole: true }, { tenantId, delayMs: WHOLE_MAIL_DELAY_MS });
  },
};

const old = (now: number) =>
  and(isNotNull(mailArrivals.finishedAt), lte(mailArrivals.finishedAt, now - ARRIVAL_RETENTION_MS));

/** Deletes the rows of mails that were filed or refused long ago. */
export const expireArrivals: RecurringHandler<"expire-arrivals"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${mailArrivals} WHERE ${old(now)})`,
  async run(context) {
    const rows = await context.workspace
      .select({ id: mailArrivals.id, tenantId: mailArrivals.tenantId })
      .from(mailArrivals)
      .where(and(old(Date.now()), isHere(mailArrivals.tenantId)))
      .limit(EXPIRED_ARRIVALS_PER_SLICE);
    if (rows.length === 0) return complete();
    const ids = rows.map(({ id }) => id);
    const change = beginChange(context, [...new Set(rows.map(({ tenantId }) => tenantId))]).add(
      context.workspace.delete(mailArrivals).where(inSet(mailArrivals.id, ids)),
    );
    return rows.length < EXPIRED_ARRIVALS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};

/** Removes the mails of a deleted tree, with their stored bytes. The address ends with its location. */
export const arrivalDeletion: DeletionStep = {
  name: "mail-arrivals",
  async deleteRows(context, { type, id }, change, limit) {
    if (!hasLocations({ type })) return 0;
    const isGone = and(
      eq(type === "location" ? locations.id : locations.clusterId, id),
      isNotNull(locations.deletedAt),
      eq(locations.id, mailArrivals.locationId),
    );
    const rows = await context.workspace
      .select({ id: mailArrivals.id, rawKey: mailArrivals.rawKey })
      .from(mailArrivals)
      .innerJoin(locations, isGone)
      .limit(limit);
    if (rows.length === 0) return 0;
    const keys = JSON.stringify(rows.flatMap(({ rawKey }) => rawKey ?? []));
    releaseObjects(context, change, sql`SELECT value FROM json_each(${keys})`);
    const ids = rows.map((row) => row.id);
    change.add(context.workspace.delete(mailArrivals).where(inSet(mailArrivals.id, ids)));
    return rows.length;
  },
};
