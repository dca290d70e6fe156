import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { organizations } from "../../src/access/tables";
import { documentSchema } from "../../src/documents/document";
import { MAX_READ_BYTES } from "../../src/documents/limits";
import { documents, documentVersions } from "../../src/documents/tables";
import { jobHandlers } from "../../src/job-handlers";
import { runJob } from "../../src/platform/jobs/run";
import { UPLOAD_PART_BYTES } from "../../src/uploads/limits";
import { uploads } from "../../src/uploads/tables";
import { call, codeOf, expectJson } from "../support/call";
import { announce, completeUpload, putPart, startInParts, uploadState } from "../support/documents";
import { mintPlace, type Person } from "../support/factories";
import { eventually } from "../support/patience";
import fc, { scaled } from "../support/properties";
import { testDatabase } from "../support/statements";
import { ageUploads, expectCounted, quietJob, runToEnd, storageOf, systemContext } from "../support/storage";

let organizationId: string;
let owner: Person;
let locationId: string;

beforeEach(async () => {
  ({ organizationId, owner, locationId } = await mintPlace());
});

const PART = 4;
const file = { fileName: "a.bin", bytes: "0123456789", contentType: "application/octet-stream" };
const pathOf = (uploadId = "") => `/v1/spatial/locations/${locationId}/documents/uploads${uploadId && `/${uploadId}`}`;
const start = () => startInParts(owner.token, locationId, file, PART);
const stateOf = (uploadId: string) => expectJson(uploadState, 200, "GET", pathOf(uploadId), owner);
const complete = (uploadId: string) => completeUpload(owner.token, locationId, uploadId);
const send = async (uploadId: string, number: number, bytes = file.bytes.slice((number - 1) * PART, number * PART)) =>
  (await putPart(owner.token, locationId, uploadId, number, bytes)).status;

describe("an upload in parts", () => {
  test("says which parts have arrived, and joins them in their order", async () => {
    const started = await start();
    expect(started).toMatchObject({ partCount: 3, partSizeBytes: PART, receivedParts: [], status: "pending" });
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 10 });
    for (const number of [3, 1]) expect(await send(started.uploadId, number)).toBe(200);
    expect((await stateOf(started.uploadId)).receivedParts).toEqual([1, 3]);
    expect(await codeOf(await complete(started.uploadId))).toBe("422 upload-incomplete");
    // A part is written once: a repeat whose first answer was lost finds it.
    expect([await send(started.uploadId, 3), await send(started.uploadId, 2)]).toEqual([412, 200]);
    const done = await complete(started.uploadId);
    const document = documentSchema.parse(await done.json());
    expect(document).toMatchObject({ sizeBytes: 10, version: 1, fileName: "a.bin" });
    const link = await call("GET", `/v1/documents/${document.id}/download`, owner);
    expect(await (await call("GET", link.headers.get("location") ?? "")).text()).toBe(file.bytes);
    await eventually(async () =>
      expect(await storageOf(organizationId)).toMatchObject({ used: 10, reserved: 0, stagedKeys: [] }),
    );
    expect((await stateOf(started.uploadId)).status).toBe("completed");
    expect((await complete(started.uploadId)).status).toBe(200);
  });

  test("continues at an identical start, and its bytes are reserved once", async () => {
    const first = await start();
    await send(first.uploadId, 2);
    const full = { documentStorageBytes: 10 };
    await testDatabase().update(organizations).set(full).where(eq(organizations.id, organizationId));
    const body = await announce(file);
    const again = await expectJson(uploadState, 200, "POST", pathOf(), { ...owner, body });
    expect(again).toMatchObject({ uploadId: first.uploadId, receivedParts: [2] });
    expect(await storageOf(organizationId)).toMatchObject({ reserved: 10 });
    // An upload of the same file in one request is another upload, and does not fit.
    const whole = `/v1/spatial/locations/${locationId}/documents/upload-start`;
    expect(await codeOf(await call("POST", whole, { ...owner, body }))).toBe("507 storage-full");
  });

  test("takes no other bytes than the announced ones", async () => {
    const { uploadId } = await start();
    const address = await putPart(owner.token, locationId, uploadId, 1, "0123", "9999");
    expect([address.status, await address.text()]).toEqual([400, expect.stringContaining("SHA-256")]);
    expect((await stateOf(uploadId)).receivedParts).toEqual([]);
    for (const number of [1, 2, 3]) await send(uploadId, number, number === 1 ? "9999" : undefined);
    expect(await codeOf(await complete(uploadId))).toBe("422 upload-mismatch");
    await eventually(async () =>
      expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, bucketKeys: [], stagedKeys: [] }),
    );
  });

  test("signs no part that it does not have, and none after its end", async () => {
    const { uploadId } = await start();
    const sign = (number: number) =>
      call("POST", `${pathOf(uploadId)}/parts`, {
        ...owner,
        body: { parts: [{ number, checksumSha256: "0".repeat(64) }] },
      });
    expect(await codeOf(await sign(4))).toBe("400 validation-failed");
    expect(await codeOf(await sign(0))).toBe("400 validation-failed");
    await send(uploadId, 1);
    expect((await call("DELETE", pathOf(uploadId), owner)).status).toBe(204);
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, stagedKeys: [] });
    expect(await codeOf(await sign(2))).toBe("410 upload-ended");
    const other = await mintPlace();
    expect((await call("GET", pathOf(uploadId), other.owner)).status).toBe(404);
  });

  test("that is abandoned leaves no part, also of a PUT after its end", async () => {
    const { uploadId } = await start();
    for (const number of [1, 2]) await send(uploadId, number);
    expect((await storageOf(organizationId)).stagedKeys).toHaveLength(2);
    await ageUploads(organizationId);
    await runToEnd("expire-uploads");
    expect(await storageOf(organizationId)).toMatchObject({ used: 0, reserved: 0, stagedKeys: [] });
    expect((await stateOf(uploadId)).status).toBe("expired");
  });

  test("of the real size of a part is verified", async () => {
    const bytes = new Uint8Array(UPLOAD_PART_BYTES + 1).fill(7);
    const started = await startInParts(owner.token, locationId, { ...file, bytes });
    expect(started).toMatchObject({ partCount: 2, partSizeBytes: UPLOAD_PART_BYTES });
    const parts = [bytes.slice(0, UPLOAD_PART_BYTES), bytes.slice(UPLOAD_PART_BYTES)];
    for (const [n, part] of parts.entries()) await putPart(owner.token, locationId, started.uploadId, n + 1, part);
    expect((await complete(started.uploadId)).status).toBe(200);
    await expectCounted(organizationId);
  });
});

test("whatever is interrupted and repeated, no acknowledged part is lost and the file is complete", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("send" as const), number: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constantFrom("start", "complete", "stop-verifying") }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.nat(), async (steps, nth) => {
      const named = { ...file, fileName: `${nth}-${steps.length}-${crypto.randomUUID()}.bin` };
      const { uploadId, documentId } = await startInParts(owner.token, locationId, named, PART);
      const acknowledged = new Set<number>();
      const isWhole = () => acknowledged.size === 3;
      let isDone = false;
      const finish = async () => {
        const answer = await complete(uploadId);
        expect(answer.status).toBe(isWhole() || isDone ? 200 : 422);
        isDone ||= answer.status === 200;
      };
      for (const one of steps) {
        if (isDone) break;
        if (one.do === "complete") await finish();
        else if (one.do === "send" && "number" in one) {
          expect([200, 412]).toContain(await send(uploadId, one.number));
          acknowledged.add(one.number);
        } else if (one.do === "start") {
          const again = await expectJson(uploadState, 200, "POST", pathOf(), { ...owner, body: await announce(named) });
          expect(again.uploadId).toBe(uploadId);
        } else if (isWhole()) {
          // A worker that stops while it copies the parts.
          const jobId = await quietJob("verify-upload", { uploadId });
          const verifying = { status: "verifying" as const, verifyJobId: jobId };
          await testDatabase().update(uploads).set(verifying).where(eq(uploads.id, uploadId));
          const context = systemContext();
          const stopped = { write: () => Promise.reject(new Error("the worker stopped here")) };
          const objects: typeof context.objects = { ...context.objects, ...stopped };
          expect(await runJob({ ...context, objects }, jobHandlers, jobId)).toBe("retry");
          await env.DB.prepare("UPDATE jobs SET run_at = 0 WHERE id = ?").bind(jobId).run();
        }
        if (!isDone) expect((await stateOf(uploadId)).status).toMatch(/pending|verifying/);
      }
      for (const number of [1, 2, 3]) if (!acknowledged.has(number)) expect(await send(uploadId, number)).toBe(200);
      for (const number of [1, 2, 3]) acknowledged.add(number);
      await finish();
      const [row] = await testDatabase()
        .select()
        .from(documentVersions)
        .where(eq(documentVersions.documentId, documentId));
      const stored = await env.BUCKET.get(row?.objectKey ?? "");
      expect(await stored?.text()).toBe(file.bytes);
    }),
    { numRuns: scaled(3) },
  );
  await eventually(async () => expect((await storageOf(organizationId)).stagedKeys).toEqual([]));
  await expectCounted(organizationId);
});

test("a file of more than 100 MiB is sent in parts alone, and up to 2 GiB", async () => {
  const body = { ...(await announce(file)), sizeBytes: 100 * 1024 ** 2 + 1 };
  const whole = `/v1/spatial/locations/${locationId}/documents/upload-start`;
  const refused = await call("POST", whole, { ...owner, body });
  expect(await codeOf(refused)).toBe("413 content-too-large");
  expect((await call("POST", pathOf(), { ...owner, body })).status).toBe(201);
});

test("the text of a file of more than 100 MiB is not read", async () => {
  const started = await start();
  const job = await quietJob("extract-document", { documentId: started.documentId, version: 1 }, organizationId);
  const id = started.documentId;
  const version = { documentId: id, version: 1, objectKey: "none", fileName: "a.pdf", contentType: "application/pdf" };
  await testDatabase()
    .insert(documentVersions)
    .values({ ...version, sizeBytes: MAX_READ_BYTES + 1, checksumSha256: "0".repeat(64), createdAt: 1 });
  await testDatabase().update(documents).set({ latestVersion: 1 }).where(eq(documents.id, id));
  expect(await runJob(systemContext(), jobHandlers, job)).toBe("succeeded");
  const [row] = await testDatabase().select().from(documents).where(eq(documents.id, id));
  expect(row).toMatchObject({ textStatus: "too-large", textDetail: expect.stringContaining("100 MiB") });
});
