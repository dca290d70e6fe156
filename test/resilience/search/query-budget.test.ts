import { expect, test } from "vitest";
import { jobHandlers } from "../../../src/job-handlers";
import { runJob } from "../../../src/platform/jobs/run";
import type { jobs } from "../../../src/platform/jobs/tables";
import { found, indexTenant } from "../../search/searching";
import { mintDocument, mintGrant, mintLocation, mintOrganization, mintPerson } from "../../support/factories";
import { hasSucceeded, insertJob, silentQueues, systemContext } from "../../support/job-rows";

/*
 * D1 refuses more than 1,000 queries in an invocation, as the layer of hosted limits does here. Documents of one passage take the
 * most queries for their text.
 */

const DOCUMENTS = 60;

/** A location with many short documents. */
async function library() {
  const organization = await mintOrganization();
  const location = await mintLocation({ organizationId: organization.id });
  for (let n = 0; n < DOCUMENTS; n++)
    await mintDocument({ organizationId: organization.id }, location, [`Bollard ${n}`], { fileName: `${n}.txt` });
  return { organization, location };
}

/** Runs the slices of a job, each as an invocation of its own. */
async function runToEnd(job: Pick<typeof jobs.$inferInsert, "kind" | "payload">): Promise<void> {
  const id = await insertJob(job);
  while (!(await hasSucceeded(id)))
    expect(["continued", "succeeded"]).toContain(
      await runJob(systemContext({ queues: silentQueues().queues }), jobHandlers, id),
    );
}

test("a share of many short documents is indexed in slices below the limit of queries", async () => {
  const { organization, location } = await library();
  await indexTenant(organization.id);
  const guest = await mintPerson();
  const grant = { LocationView: "Read", Documents: "Read" } as const;
  await mintGrant({ organizationId: organization.id }, guest.userId, "location", location.id, grant);
  await runToEnd({ kind: "index-shared", payload: { target: "location", id: location.id } });
  expect(await found(guest.token, "bollard")).not.toEqual([]);
});

test("a backfill of many short documents is below the limit of queries in each slice", async () => {
  const { organization } = await library();
  await runToEnd({ kind: "backfill-documents", payload: {} });
  expect(await found(organization.owner.token, "bollard")).not.toEqual([]);
});
