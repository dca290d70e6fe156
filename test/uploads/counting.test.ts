import { expect, test } from "vitest";
import { call } from "../support/call";
import { announce, completeUpload, putBytes, type StartedUpload, startedUpload } from "../support/documents";
import { mintLocation, mintOrganization } from "../support/factories";
import { eventually } from "../support/patience";
import fc, { scaled } from "../support/properties";
import { ageUploads, expectCounted, runToEnd, storageOf } from "../support/storage";

/** The storage limit of the organization, bytes. It is so small that some starts are refused. */
const LIMIT = 60;

type Step =
  | { do: "start"; name: number; size: number }
  | { do: "put" | "complete" | "delete"; which: number; wrong: boolean }
  | { do: "expire" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("start" as const), name: fc.nat(2), size: fc.nat(25) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom("put" as const, "complete" as const, "complete" as const, "delete" as const),
        which: fc.nat(20),
        wrong: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const) }) },
  ),
  { minLength: 4, maxLength: 14 },
);

/** The state of one run: a new organization, which it changes only through the API. */
async function openWorld() {
  const { id: organizationId, owner } = await mintOrganization({ documentStorageBytes: LIMIT });
  const { id: locationId } = await mintLocation({ organizationId });
  const started: (StartedUpload & { bytes: string; addressEnded: boolean })[] = [];
  const pick = (which: number) => started[which % Math.max(1, started.length)];

  async function take(step: Step): Promise<number> {
    if (step.do === "expire") {
      await ageUploads(organizationId);
      await runToEnd("expire-uploads");
      for (const upload of started) upload.addressEnded = true;
      return 200;
    }
    if (step.do === "start") {
      const bytes = "x".repeat(step.size);
      const body = await announce({ fileName: `file ${step.name}`, bytes });
      const path = `/v1/spatial/locations/${locationId}/documents/upload-start`;
      const response = await call("POST", path, { token: owner.token, body });
      if (response.status === 201)
        started.push({ ...startedUpload.parse(await response.json()), bytes, addressEnded: false });
      return response.status;
    }
    const upload = pick(step.which);
    if (upload === undefined || (step.do === "put" && upload.addressEnded)) return 200;
    if (step.do === "put")
      return (await putBytes(upload, step.wrong ? upload.bytes.replace("x", "y") : upload.bytes)).status;
    if (step.do === "complete") return (await completeUpload(owner.token, locationId, upload.uploadId)).status;
    return (await call("DELETE", `/v1/documents/${upload.documentId}`, owner)).status;
  }

  return { organizationId, take };
}

test("after any sequence of operations the counted bytes equal the stored bytes", { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { organizationId, take } = await openWorld();
      for (const step of sequence) {
        expect(await take(step)).toBeLessThan(508);
        await expectCounted(organizationId);
        const { used, reserved } = await storageOf(organizationId);
        expect(used + reserved).toBeLessThanOrEqual(LIMIT);
      }
      await ageUploads(organizationId);
      await runToEnd("expire-uploads");
      await eventually(async () => {
        const end = await storageOf(organizationId);
        expect(end).toMatchObject({ reserved: 0, used: end.bucketBytes, stagedKeys: [] });
        expect(end.bucketKeys).toEqual(end.keptKeys);
      });
    }),
    { numRuns: scaled(8), endOnFailure: true },
  );
});
