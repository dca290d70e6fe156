import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { secondsOf } from "../../../src/administration/moves/estimate";
import { placementSchema } from "../../../src/administration/moves/moves";
import { inWaves } from "../../../src/platform/concurrency";
import {
  bucketOf,
  callSeveral,
  databaseOf,
  expectSeveral,
  migrateSeveral,
  placeOf,
  registerIn,
  settingOf,
  severalContext,
} from "../../support/databases";
import { beginMoveOf, runMove, runSlice, stateOf } from "../../support/moving";
import {
  addressOf,
  completeSeveral,
  contentOf,
  keysIn,
  locationOf,
  putSeveral,
  startSeveral,
  uploadSeveral,
} from "../../support/several-objects";
import { Worker } from "../../support/stopping";

/* Moves between two databases with a bucket each: the objects of a workspace are where its rows are, and nowhere else. */

beforeAll(migrateSeveral);

/** An entry of DATABASES with the bucket of the service. */
const withoutBucket = ({ bucket: _, ...entry }: { bucket?: string }) => entry;

const FILES = ["one", "two", "three", "four", "five"];

/** An organization with documents and an image of a camera. */
async function mint(place: string) {
  const subject = await locationOf(place);
  const documents = new Map<string, string>();
  for (const bytes of FILES) {
    const { id } = await uploadSeveral(subject.token, subject.locationId, { fileName: `${bytes}.txt`, bytes });
    documents.set(id, bytes);
  }
  const image = `captures/${subject.organizationId}/camera/operation/original.jpg`;
  const properties = { httpMetadata: { contentType: "image/jpeg" }, customMetadata: { of: "a camera" } };
  await bucketOf(place).put(image, "an image", properties);
  const prefixes = [`${subject.organizationId}/`, `captures/${subject.organizationId}/`];
  const keys = async (name: string) => (await Promise.all(prefixes.map((prefix) => keysIn(name, prefix)))).flat();
  return { ...subject, documents, image, keys };
}

type Subject = Awaited<ReturnType<typeof mint>>;

async function expectAllIn({ organizationId, documents, token, keys, image }: Subject, place: string) {
  expect(await placeOf(organizationId)).toBe(place);
  const other = place === "first" ? "second" : "first";
  expect(await keys(place)).toHaveLength(FILES.length + 1);
  expect(await keys(other)).toEqual([]);
  for (const [id, bytes] of documents) expect(await contentOf(id, token)).toBe(bytes);
  const found = await bucketOf(place).head(image);
  expect(found?.httpMetadata?.contentType).toBe("image/jpeg");
  expect(found?.customMetadata).toEqual({ of: "a camera" });
}

describe.each([
  ["first", "second"],
  ["second", "first"],
])("a move from %s to %s", (source, target) => {
  test("takes the objects along, most of them before it closes the organization", async () => {
    const subject = await mint(source);
    const { token, organizationId, clusterId, locationId } = subject;
    const { id } = await beginMoveOf(organizationId);
    // A slice that ends after its first query has copied objects, and the organization is open.
    const asked: string[] = [];
    const noting = (bucket: R2Bucket) =>
      new Proxy(bucket, {
        get: (on, name) => {
          const method = Reflect.get(on, name) as (...given: unknown[]) => unknown;
          return async (...given: unknown[]) => {
            if (name === "put") {
              const row = await env.D1_DIRECTORY.prepare("SELECT closed_at FROM moves WHERE id = ?").bind(id).first();
              asked.push(row?.closed_at === null ? "open" : "closed");
              // What is uploaded meanwhile is copied after the organization is closed.
              if (asked.length === 1) {
                const late = { fileName: "late.txt", bytes: "late" };
                subject.documents.set((await uploadSeveral(token, locationId, late)).id, "late");
              }
            }
            return method.apply(on, given);
          };
        },
      });
    while ((await stateOf(id)) === "copying") await runSlice(id, severalContext(undefined, noting));
    expect(asked.filter((state) => state === "open").length).toBeGreaterThanOrEqual(FILES.length + 1);
    expect(asked.filter((state) => state === "closed").length).toBeLessThanOrEqual(1);
    await runMove(id, "opened");
    for (const [document, bytes] of subject.documents) expect(await contentOf(document, token)).toBe(bytes);
    await runMove(id);
    expect(await subject.keys(target)).toHaveLength(FILES.length + 2);
    expect(await subject.keys(source)).toEqual([]);
    for (const [document, bytes] of subject.documents) expect(await contentOf(document, token)).toBe(bytes);
    await expectSeveral(z.looseObject({}), 200, "GET", `/v1/spatial/clusters/${clusterId}`, { token });
    const after = await uploadSeveral(token, locationId, { fileName: "after.txt", bytes: "after" });
    expect(await contentOf(after.id, token)).toBe("after");
    expect(await subject.keys(source)).toEqual([]);
  });

  test("leaves addresses valid, and bytes that were sent to the former bucket are used", async () => {
    const subject = await mint(source);
    const { token, organizationId, locationId, documents } = subject;
    const [first = ""] = documents.keys();
    const address = await addressOf(first, token);
    const sent = { fileName: "sent.txt", bytes: "sent before" };
    const [before, during] = [
      await startSeveral(token, locationId, sent),
      await startSeveral(token, locationId, { fileName: "during.txt", bytes: "sent meanwhile" }),
    ];
    expect((await putSeveral(before, sent.bytes)).status).toBe(200);
    const { id } = await beginMoveOf(organizationId);
    await runMove(id, "switched");
    // The address is of the former bucket.
    expect((await putSeveral(during, "sent meanwhile")).status).toBe(200);
    await runMove(id, "opened");
    expect(await (await callSeveral("GET", address)).text()).toBe("one");
    const done = await completeSeveral(token, locationId, before.uploadId);
    expect(await contentOf(done.id, token)).toBe("sent before");
    const later = await completeSeveral(token, locationId, during.uploadId);
    expect(await contentOf(later.id, token)).toBe("sent meanwhile");
    await runMove(id);
    expect(await (await callSeveral("GET", address)).text()).toBe("one");
    expect(await subject.keys(source)).toEqual([]);
    for (const { uploadId } of [before, during])
      for (const place of [source, target]) expect(await keysIn(place, `staging/${uploadId}`)).toEqual([]);
  });

  test("that is undone leaves the objects where they were", async () => {
    const subject = await mint(source);
    const { id } = await beginMoveOf(subject.organizationId);
    // Killed when it has copied some.
    const worker = new Worker({ at: 12, how: "after" });
    await runSlice(id, severalContext(undefined, worker.throughBucket)).catch(() => undefined);
    expect((await subject.keys(target)).length).toBeGreaterThan(0);
    await env.D1_DIRECTORY.prepare("UPDATE moves SET state = 'undoing' WHERE id = ?").bind(id).run();
    await runMove(id, "undone");
    await expectAllIn(subject, source);
  });

  test("copies what is missing, and removes what was deleted before it closed", async () => {
    const subject = await mint(source);
    const { organizationId, image } = subject;
    const left = `${organizationId}/deleted-meanwhile`;
    await bucketOf(target).put(left, "x");
    await bucketOf(target).put(image, "half");
    const { id } = await beginMoveOf(organizationId);
    await runMove(id);
    expect(await bucketOf(target).head(left)).toBeNull();
    expect(await (await bucketOf(target).get(image))?.text()).toBe("an image");
    await expectAllIn(subject, target);
  });
});

test("the estimate has the time for the comparison of the buckets, if there are two", async () => {
  const { organizationId } = await mint("first");
  const admin = await registerIn("first");
  await env.D1_DIRECTORY.prepare("UPDATE users SET is_admin = 1 WHERE id = ?").bind(admin.userId).run();
  const read = (vars: Record<string, string>) => {
    const path = `/v1/admin/organizations/${organizationId}/move`;
    return expectSeveral(placementSchema, 200, "GET", path, { token: admin.token, vars });
  };
  const [withBuckets, withOne] = [settingOf(2), JSON.stringify(JSON.parse(settingOf(2)).map(withoutBucket))];
  expect((await read({ DATABASES: withBuckets })).objects).toBe(FILES.length);
  const many = 200_000;
  await databaseOf("first")
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO stored_objects (key, tenant_id, charged_bytes, created_at) SELECT ?2 || '/' || i, ?2, 0, 0 FROM n`,
    )
    .bind(many, organizationId)
    .run();
  const [two, one] = [await read({ DATABASES: withBuckets }), await read({ DATABASES: withOne })];
  expect(two.objects).toBe(FILES.length + many);
  const rows = { rows: one.rows, passages: one.passages, objects: one.objects };
  expect(one.estimatedSeconds).toBe(secondsOf(rows, false));
  expect(two.estimatedSeconds).toBe(secondsOf(rows, true));
  expect(two.estimatedSeconds).toBeGreaterThan(one.estimatedSeconds + 1);
});

test("a prefix with more objects than a page of the list", { timeout: 240_000 }, async () => {
  const { between } = severalContext().stores;
  const pair = between("first", "second");
  const keys = Array.from({ length: 1_010 }, (_, n) => `many/${String(n).padStart(5, "0")}`);
  await inWaves(keys, 50, (key) => env.BUCKET.put(key, key));
  await inWaves(keys.slice(0, 990), 50, (key) => env.BUCKET_SECOND.put(key, key));
  await env.BUCKET_SECOND.put("many/00995", "half");
  await env.BUCKET_SECOND.put("many/x", "x");
  let calls = 0;
  const mayRemove = async () => {};
  for (let after: string | null | undefined = null; after !== undefined; calls++)
    after = (await pair?.copy("many/", after, { isFull: () => calls % 2 === 0, mayRemove })) ?? undefined;
  expect(calls).toBeGreaterThan(1);
  expect(await keysIn("second", "many/0099")).toHaveLength(10);
  expect(await keysIn("second", "many/0100")).toHaveLength(10);
  expect(await (await env.BUCKET_SECOND.get("many/00995"))?.text()).toBe("many/00995");
  expect(await env.BUCKET_SECOND.head("many/x")).toBeNull();
  expect(await pair?.remove("many/")).toBe(false);
  expect(await pair?.remove("many/")).toBe(true);
  expect(await keysIn("first", "many/")).toEqual([]);
  expect(between("first", "first")).toBeNull();
});

const HOW = ["before", "after", "sleep"] as const;
/** Moments at which a worker is stopped. */
const MOMENTS = 20;

test("a move that is stopped at calls of a bucket is finished by another worker", { timeout: 900_000 }, async () => {
  const subject = await mint("first");
  const moveWith = async (worker: Worker) => {
    const { id, target } = await beginMoveOf(subject.organizationId);
    let sleeper: Promise<void> | null = null;
    for (let slices = 0; slices < 50 && (await stateOf(id)) !== "finished"; slices++) {
      if (worker.stop !== null && worker.trips >= worker.stop.at) break;
      const run = runSlice(id, severalContext(undefined, worker.throughBucket)).catch(() => undefined);
      const asleep = async () => {
        while (worker.stop?.how === "sleep" && worker.trips < worker.stop.at) await scheduler.wait(2);
        if (worker.stop?.how !== "sleep") await run;
      };
      await Promise.race([run, asleep()]);
      sleeper = run;
    }
    await runMove(id);
    await expectAllIn(subject, target);
    return { target, sleeper };
  };
  const trips = new Worker();
  await moveWith(trips);
  expect(trips.trips).toBeGreaterThan(MOMENTS);
  for (let moment = 0; moment < MOMENTS; moment++) {
    const at = 1 + Math.floor(((moment + 0.5) * trips.trips) / MOMENTS);
    const worker = new Worker({ at, how: HOW[moment % HOW.length] ?? "before" });
    const { target, sleeper } = await moveWith(worker);
    // A queue ends a worker before its move has ended, so one that wakes up afterwards does not exist. What it copies late is left.
    worker.wake();
    await sleeper;
    for (const [id, bytes] of subject.documents) expect(await contentOf(id, subject.token)).toBe(bytes);
    expect(await subject.keys(target)).toHaveLength(FILES.length + 1);
  }
});
