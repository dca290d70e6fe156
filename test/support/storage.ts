import { env } from "cloudflare:workers";
import { and, eq, inArray, isNotNull, lt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { expect, vi } from "vitest";
import { contextAt } from "../../src/access";
import { placeColumns } from "../../src/cameras/capture-rows";
import { stagingKey } from "../../src/cameras/captures";
import { cameraFrames, cameraPlaces, PART } from "../../src/cameras/tables";
import { openContext } from "../../src/compose";
import { documents, documentVersions } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { type Context, contextIn } from "../../src/platform/context";
import { newId } from "../../src/platform/ids";
import { JOB_KINDS, type JobKind } from "../../src/platform/jobs/kinds";
import type { JobQueues } from "../../src/platform/jobs/queues";
import { runJob } from "../../src/platform/jobs/run";
import { jobs } from "../../src/platform/jobs/tables";
import type { ObjectStore } from "../../src/platform/objects/store";
import { locationStorage, storageUsage, storedObjects, uploads } from "../../src/uploads/tables";
import { locations } from "../../src/workspace/tables";
import { everyLane, silentQueues } from "./job-rows";
import { eventually } from "./patience";
import { everyDatabase, isSpread } from "./spread";
import { testDatabase } from "./statements";

const framesOfTenant = (tenantId: string) =>
  drizzle(env.DB)
    .select({ frame: cameraFrames, place: placeColumns })
    .from(cameraFrames)
    .innerJoin(cameraPlaces, eq(cameraPlaces.place, cameraFrames.place))
    .where(eq(cameraPlaces.tenantId, tenantId));

/** The counters of a tenant's storage, and the sums over its rows and the bucket. */
export async function storageOf(tenantId: string) {
  const db = drizzle(env.DB);
  // One batch, because a job may release storage in the meantime.
  const [[usage], kept, hidden, open, frames] = await db.batch([
    db.select().from(storageUsage).where(eq(storageUsage.tenantId, tenantId)),
    db.select().from(storedObjects).where(eq(storedObjects.tenantId, tenantId)),
    db
      .select({ id: locations.id })
      .from(locations)
      .where(and(eq(locations.tenantId, tenantId), isNotNull(locations.deletedAt))),
    db
      .select()
      .from(uploads)
      .where(and(eq(uploads.tenantId, tenantId), inArray(uploads.status, ["pending", "verifying"]))),
    framesOfTenant(tenantId),
  ]);
  const hiddenIds = new Set(hidden.map(({ id }) => id));
  const counted = kept.filter(({ inTrash, locationId }) => !inTrash && !hiddenIds.has(locationId ?? ""));
  const { objects } = await env.BUCKET.list({ prefix: `${tenantId}/` });
  const all = await db.select({ key: uploads.stagingKey }).from(uploads).where(eq(uploads.tenantId, tenantId));
  const keys = [
    ...all.map(({ key }) => key),
    ...frames.map(({ frame }) => stagingKey({ operationId: frame.operation })),
  ];
  // The bytes of an upload in parts are below its key.
  const staged = await Promise.all(
    keys.map(async (key) =>
      (await env.BUCKET.list({ prefix: key })).objects
        .map((found) => found.key)
        .filter((found) => found === key || found.startsWith(`${key}/`)),
    ),
  );
  const charged = frames.filter(({ frame }) => frame.chargedBytes > 0);
  const sumOf = (some: typeof frames) => some.reduce((sum, { frame }) => sum + frame.chargedBytes, 0);
  return {
    used: usage?.usedBytes ?? 0,
    reserved: usage?.reservedBytes ?? 0,
    countedBytes:
      counted.reduce((sum, row) => sum + row.chargedBytes, 0) +
      sumOf(charged.filter(({ place }) => !hiddenIds.has(place.locationId))),
    keptBytes: kept.reduce((sum, row) => sum + row.chargedBytes, 0) + sumOf(charged),
    openBytes:
      open.reduce((sum, row) => sum + row.sizeBytes, 0) +
      frames.reduce((sum, { frame }) => sum + (frame.part === PART.open ? frame.sizeBytes : 0), 0),
    /** Objects of the ledger, and images by their operations. */
    keptKeys: [...kept.map(({ key }) => key), ...charged.map(({ frame }) => frame.operation)].sort(),
    bucketKeys: objects.map(({ key }) => key).sort(),
    bucketBytes: objects.reduce((sum, object) => sum + object.size, 0),
    stagedKeys: staged.flat(),
  };
}

/** Checks the counters of each kind against the rows, in one batch. */
async function expectKindsCounted(tenantId: string): Promise<void> {
  const db = drizzle(env.DB);
  const { objectKey, version } = documentVersions;
  const [kept, places, versions, counters, frames] = await db.batch([
    db.select().from(storedObjects).where(eq(storedObjects.tenantId, tenantId)),
    db.select().from(locations).where(eq(locations.tenantId, tenantId)),
    db
      .select({ key: objectKey, isOlder: lt(version, documents.latestVersion) })
      .from(documentVersions)
      .innerJoin(documents, eq(documents.id, documentVersions.documentId))
      .where(eq(documents.tenantId, tenantId)),
    db.select().from(locationStorage).where(eq(locationStorage.tenantId, tenantId)),
    framesOfTenant(tenantId),
  ]);
  const hidden = new Map(places.map(({ id, deletedAt }) => [id, deletedAt !== null]));
  const older = new Map(versions.map(({ key, isOlder }) => [key, Boolean(isOlder)]));
  const sum = (matches: (row: typeof storedObjects.$inferSelect) => boolean) =>
    kept.filter(matches).reduce((bytes, { chargedBytes }) => bytes + chargedBytes, 0);
  const isThere = ({ locationId, inTrash }: typeof storedObjects.$inferSelect) =>
    hidden.get(locationId ?? "") === false && !inTrash;
  const of = (bytesOf: (row: typeof locationStorage.$inferSelect) => number) =>
    counters.reduce((bytes, row) => bytes + bytesOf(row), 0);
  const counted = of((row) => (row.counted ? row.documentBytes : 0));
  const countedOlder = of((row) => (row.counted ? row.olderBytes : 0));
  const trash = of((row) => row.trashBytes + (row.counted ? 0 : row.usedBytes + row.imageBytes));
  const ofImages = (isHidden: boolean) =>
    frames
      .filter(({ place }) => hidden.get(place.locationId) === isHidden)
      .reduce((bytes, { frame }) => bytes + frame.chargedBytes, 0);
  expect(of((row) => (row.counted ? row.imageBytes : 0))).toBe(ofImages(false));
  expect({ documents: counted, older: countedOlder, trash }).toEqual({
    documents: sum((row) => isThere(row) && older.has(row.key)),
    older: sum((row) => isThere(row) && older.get(row.key) === true),
    trash: sum((row) => hidden.has(row.locationId ?? "") && !isThere(row)) + ofImages(true),
  });
}

/** Checks that the counters equal the sums over the rows. */
export async function expectCounted(tenantId: string): Promise<void> {
  await expectKindsCounted(tenantId);
  const { used, reserved, countedBytes, openBytes } = await storageOf(tenantId);
  expect({ used, reserved }).toEqual({ used: countedBytes, reserved: openBytes });
}

/** Jobs that a test runs itself: each slice and each attempt. */
const quietJobs = new Set<string>();

/** Writes a job without a message to the queue, for a test that runs it itself. */
export async function quietJob<K extends JobKind>(
  kind: K,
  payload: object,
  tenantId: string | null = null,
): Promise<string> {
  const now = Date.now();
  const row = {
    kind,
    lane: JOB_KINDS[kind].lane,
    tenantId,
    payload,
    status: "queued" as const,
    runAt: now,
    sentAt: now,
    createdAt: now,
  };
  const id = newId();
  quietJobs.add(id);
  await testDatabase()
    .insert(jobs)
    .values({ id, requestId: newId(), ...row });
  return id;
}

/** A context as jobs have it. It sends no messages about quiet jobs. */
export function systemContext(): Context {
  const { context } = openContext(env, (work) => void work);
  const lane = (real: JobQueues["light"]): JobQueues["light"] => ({
    metrics: () => real.metrics(),
    sendBatch: (messages) => {
      const heard = [...messages].filter(({ body }) => !quietJobs.has(body.jobId));
      return heard.length > 0 ? real.sendBatch(heard) : silentQueues().queues.light.sendBatch([]);
    },
  });
  return { ...context, queues: everyLane((name) => lane(context.queues[name])) };
}

/**
 * The same in the database of a workspace, with an object store that fails or waits at one point. The test runs every attempt: no
 * queue gets a message.
 * @param id an id with the number of the workspace
 */
export async function withObjects(id: string, over: (real: ObjectStore) => Partial<ObjectStore>): Promise<Context> {
  const context = await contextAt({ ...systemContext(), queues: silentQueues().queues }, id);
  return { ...context, objects: { ...context.objects, ...over(context.objects) } };
}

/** Runs a recurring job now in each database of its side and waits for its end. A stopped clock does not move. */
export async function runToEnd(
  kind:
    | "expire-uploads"
    | "purge-objects"
    | "empty-trash"
    | "clean-frames"
    | "expire-credentials"
    | "expire-sharing"
    | "expire-camera-shares"
    | "expire-exports"
    | "expire-workspace-exports"
    | "expire-requests",
): Promise<void> {
  const now = Date.now();
  const side = jobHandlers[kind].side ?? "workspace";
  const isThere = (name: string) => side === "each" || !isSpread || (name === "directory") === (side === "directory");
  for (const [name] of everyDatabase.filter(([name]) => isThere(name))) {
    const id = newId();
    quietJobs.add(id);
    // One slice each time. Another attempt does not wait.
    await eventually(async () => {
      if (vi.isFakeTimers()) vi.setSystemTime(now);
      await testDatabase().update(jobs).set({ runAt: 0 }).where(eq(jobs.id, id));
      const there = contextIn(systemContext(), name) ?? systemContext();
      expect(await runJob(there, jobHandlers, id, { recurring: kind })).toBe("succeeded");
    });
  }
}

/** Makes the open uploads of a tenant and their addresses as old as abandoned ones. */
export const ageUploads = (tenantId: string): Promise<unknown> =>
  testDatabase().update(uploads).set({ expiresAt: 1, urlExpiresAt: 1 }).where(eq(uploads.tenantId, tenantId));
