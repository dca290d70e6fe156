import { app } from "./app";
import { openContext } from "./compose";
import { receiveMail } from "./documents";
import { jobHandlers } from "./job-handlers";
import { DIRECTORY_DATABASE } from "./platform/db/database";
import { topologyOf } from "./platform/db/topology";
import { consumeDeadLetters, consumeJobs } from "./platform/jobs/consume";
import { sweeperOf } from "./platform/jobs/sweep";
import { withOrigin } from "./platform/log";
import { SECOND } from "./platform/time";

export { HubShard, JobSweeper, LocationChannel, ReportRoom } from "./durable-objects";
export { BrowserPool } from "./platform/browsers/pool";

/** Wakes the sweeper of each database. A database that is not there any more has none. */
async function wakeSweepers(env: Cloudflare.Env): Promise<void> {
  const { directory, workspaces } = topologyOf(env);
  const names = [...workspaces.keys(), ...(directory === null ? [] : [DIRECTORY_DATABASE])];
  await Promise.all(names.map((name) => env.JOB_SWEEPER.getByName(sweeperOf(name)).wake(name)));
}

let wokenAt = 0;
const WAKE_INTERVAL_MS = 60 * SECOND;

export default {
  async fetch(request, env, execution) {
    if (Date.now() - wokenAt > WAKE_INTERVAL_MS) {
      wokenAt = Date.now();
      execution.waitUntil(wakeSweepers(env));
    }
    return app.fetch(request, env, execution);
  },

  async queue(batch, env, execution) {
    const { context } = openContext(env, (work) => execution.waitUntil(work));
    // Lines about the messages. A job that was claimed has its own origin.
    return withOrigin({ requestId: context.requestId, workspace: null, caller: "job" }, async () => {
      // An operator can change the beginning of a queue's name in wrangler.toml.
      if (batch.queue.endsWith("-jobs-dead")) return consumeDeadLetters(context, batch);
      if (!batch.queue.endsWith("-jobs")) throw new Error(`no consumer for queue ${batch.queue}`);
      return consumeJobs(context, jobHandlers, batch, {
        sideBySide: batch.queue.endsWith("-live-jobs") || batch.queue.endsWith("-delivery-jobs"),
      });
    });
  },

  async email(message, env, execution) {
    const { context } = openContext(env, (work) => execution.waitUntil(work));
    await withOrigin({ requestId: context.requestId, workspace: null, caller: "service" }, () =>
      receiveMail(context, message),
    );
  },

  async scheduled(_event, env) {
    await wakeSweepers(env);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
