import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { jobs } from "../../src/platform/jobs/tables";
import config from "../../wrangler.toml?raw";
import { uploadDocument } from "../support/documents";
import { mintLocation, mintMember, mintOrganization } from "../support/factories";
import { endedJobs, keepJobs } from "../support/jobs";
import { eventually } from "../support/patience";
import { testDatabase } from "../support/statements";
import { searchAs } from "./searching";

test("search finds an uploaded file by its text without further calls", async () => {
  const organization = await mintOrganization();
  const location = await mintLocation({ organizationId: organization.id });
  const { token } = await mintMember(organization.id);
  await uploadDocument(token, location.id, {
    fileName: "minutes.txt",
    bytes: "The quokka crossed the viaduct at dawn.",
  });
  await eventually(async () => {
    const { results } = await searchAs(token, "quokka ");
    expect(results[0]).toMatchObject({
      resultType: "DocumentContent",
      title: "minutes.txt",
      snippet: "The <mark>quokka</mark> crossed the viaduct at dawn.",
    });
  });
});

/*
 * On an idle service, the document is found within two seconds (`npm run bench:requests` measures it). Without a
 * clock, the test checks the reason: two jobs follow the upload, and neither is delayed.
 */
test("two jobs index an upload, both sent at once and run at the first attempt", async () => {
  const organization = await mintOrganization();
  const location = await mintLocation({ organizationId: organization.id });
  const { token } = await mintMember(organization.id);
  await keepJobs(organization.id);
  await uploadDocument(token, location.id, { fileName: "minutes.txt", bytes: "A wombat on the abutment." });
  for (const kind of ["verify-upload", "extract-document", "index-document"] as const)
    await endedJobs(organization.id, kind);
  const done = await testDatabase().select().from(jobs).where(eq(jobs.tenantId, organization.id));
  const chain = ["verify-upload", "extract-document", "index-document"].map((kind) =>
    done.filter((job) => job.kind === kind),
  );
  expect(chain.map((each) => each.length)).toEqual([1, 1, 1]);
  const [verified, ...hops] = chain.flat();
  // The upload is verified by the request itself.
  expect(verified?.status).toBe("succeeded");
  for (const hop of hops) {
    expect(hop).toMatchObject({ status: "succeeded", attempts: 1, state: null });
    // Neither delayed when it was queued, nor sent again by the sweeper.
    expect([hop.runAt, hop.resends]).toEqual([hop.createdAt, 0]);
  }
});

test("every queue sets the number of its parallel consumers, with a reason", () => {
  const consumers = config.split(/^\[\[queues\.consumers\]\]$/m).slice(1);
  for (const text of consumers) expect(text).toMatch(/max_concurrency = \d+/);
});

test("no queue of an upload waits for a full batch", () => {
  const consumers = config.split(/^\[\[queues\.consumers\]\]$/m).slice(1);
  const waits = Object.fromEntries(
    consumers.map((text) => [/queue = "(.+)"/.exec(text)?.[1], Number(/max_batch_timeout = (\d+)/.exec(text)?.[1])]),
  );
  const lanes = ["live-jobs", "jobs", "verification-jobs", "extraction-jobs"].map(
    (name) => `document-workspace-${name}`,
  );
  expect(waits).toMatchObject(Object.fromEntries(lanes.map((lane) => [lane, 0])));
});
