import { app } from "./app";
import { openContext } from "./compose";
import { jobHandlers } from "./job-handlers";
import { consumeDeadLetters, consumeJobs } from "./platform/jobs/consume";
import { SECOND } from "./platform/time";

export { HubShard, JobSweeper, LocationChannel, ReportRoom } from "./durable-objects";
export { BrowserPool } from "./platform/browsers/pool";

const SWEEPER = "sweeper";

const wakeSweeper = (env: Cloudflare.Env): Promise<void> =>
  env.JOB_SWEEPER.get(env.JOB_SWEEPER.idFromName(SWEEPER)).wake();

let wokenAt = 0;
const WAKE_INTERVAL_MS = 60 * SECOND;

export default {
  async fetch(request, env, execution) {
    if (Date.now() - wokenAt > WAKE_INTERVAL_MS) {
      wokenAt = Date.now();
      execution.waitUntil(wakeSweeper(env));
    }
    return app.fetch(request, env, execution);
  },

  async queue(batch, env, execution) {
    const { context } = openContext(env, (work) => execution.waitUntil(work));
    // An operator can change the beginning of a queue's name in wrangler.toml.
    if (batch.queue.endsWith("-jobs-dead")) return consumeDeadLetters(context, batch);
    if (!batch.queue.endsWith("-jobs")) throw new Error(`no consumer for queue ${batch.queue}`);
    return consumeJobs(context, jobHandlers, batch, { sideBySide: batch.queue.endsWith("-live-jobs") });
  },

  async scheduled(_event, env) {
    await wakeSweeper(env);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
