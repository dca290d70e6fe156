import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { runBatch } from "../../../src/platform/db/database";
import { consumeJobs } from "../../../src/platform/jobs/consume";
import { complete } from "../../../src/platform/jobs/handlers";
import { handlersWith, hasSucceeded, insertJob, systemContext } from "../../support/job-rows";

test("a batch whose first jobs need many queries leaves the rest to another invocation", async () => {
  const ids = [await insertJob(), await insertJob(), await insertJob()];
  const handlers = handlersWith({
    run: async ({ workspace }) => {
      await runBatch(workspace, Array(400).fill(sql`SELECT 1`));
      return complete();
    },
  });
  const deliver = async (jobIds: readonly string[]) => {
    const messages = jobIds.map((id) => ({ id, timestamp: new Date(), attempts: 1, body: { jobId: id } }));
    const batch = createMessageBatch("document-workspace-jobs", messages);
    await consumeJobs(systemContext(), handlers, batch);
    return getQueueResult(batch, createExecutionContext());
  };
  const [first = "", second = "", third = ""] = ids;
  expect(await deliver(ids)).toMatchObject({ explicitAcks: [first, second], retryMessages: [{ msgId: third }] });
  expect(await deliver([third])).toMatchObject({ explicitAcks: [third], retryMessages: [] });
  for (const id of ids) expect(await hasSucceeded(id)).toBe(true);
});
