import { openRecognizer } from "./documents";
import { openLiveDelivery } from "./hub";
import { jobHandlers } from "./job-handlers";
import { type Context, contextIn } from "./platform/context";
import { openDatabases } from "./platform/db/database";
import { topologyOf } from "./platform/db/topology";
import { newId } from "./platform/ids";
import type { JobQueues } from "./platform/jobs/queues";
import { runJob } from "./platform/jobs/run";
import { openSweepers } from "./platform/jobs/sweep";
import { currentOrigin } from "./platform/log";
import { openMailer } from "./platform/mail";
import { measureIn } from "./platform/metrics";
import { openBackupStore } from "./platform/objects/backup-store";
import { bucketOf, openObjectStores } from "./platform/objects/stores";
import { openOutside } from "./platform/outside";
import { openAssets } from "./platform/ports";
import { settingsOf } from "./platform/settings";
import { openPrinter, openRooms } from "./reports";
import { followClaims } from "./workspace";

interface OpenedContext {
  context: Context;
  /** The bookmark of this context's database session, for `X-Bookmark`. */
  bookmark: () => string | null;
}

/** Opens a context over the Worker's bindings; `env` stops here. @throws SettingsError. */
export function openContext(
  env: Cloudflare.Env,
  waitUntil: (work: Promise<unknown>) => void,
  given: Partial<Pick<Context, "caller" | "requestId" | "origin">> = {},
): OpenedContext {
  const settings = settingsOf(env);
  const { BACKUP_BUCKET: backupBucket, METRICS } = env as {
    BACKUP_BUCKET?: R2Bucket;
    METRICS?: AnalyticsEngineDataset;
  };
  measureIn(METRICS);
  const topology = topologyOf(env);
  const { bookmark, ...opened } = openDatabases(env.DB, topology);
  const stores = openObjectStores(env.BUCKET, topology.buckets, opened.databases.names, settings);
  const context: Context = {
    ...opened,
    version: env.VERSION.id,
    objects: stores.unchosen,
    stores,
    backups:
      backupBucket === undefined
        ? null
        : openBackupStore(backupBucket, (database) => bucketOf(env.BUCKET, topology.buckets, database)),
    queues: {
      live: env.LIVE_JOBS as JobQueues["live"],
      delivery: env.DELIVERY_JOBS as JobQueues["delivery"],
      light: env.JOBS as JobQueues["light"],
      extraction: env.EXTRACTION_JOBS as JobQueues["extraction"],
      verification: env.VERIFICATION_JOBS as JobQueues["verification"],
      printing: env.PRINTING_JOBS as JobQueues["printing"],
      recognition: env.RECOGNITION_JOBS as JobQueues["recognition"],
    },
    mailer: openMailer((env as { MAIL?: SendEmail }).MAIL, settings.MAIL_FROM),
    live: openLiveDelivery(env),
    assets: openAssets(env.ASSETS),
    printer: openPrinter(env, { browsers: settings.PRINT_BROWSERS }),
    recognizer: openRecognizer(env, settings.RECOGNITION_BROWSERS),
    rooms: openRooms(env),
    sweepers: openSweepers(env),
    outside: openOutside(settings),
    settings,
    caller: given.caller ?? { kind: "system" },
    now: Date.now(),
    requestId: given.requestId ?? newId(),
    origin: given.origin ?? null,
    counted: [],
    idempotency: null,
    followClaims,
    background: waitUntil,
    runNow: async (database, jobId) => {
      const there = contextIn(context, database);
      if (there === null) throw new Error(`no database has the name "${database}"`);
      // The job has neither the caller of the request nor its idempotency claim.
      const own = { ...there, caller: { kind: "system" } as const, idempotency: null, now: Date.now() };
      const { trace } = currentOrigin() ?? {};
      await runJob(own, jobHandlers, jobId, trace === undefined ? {} : { trace });
    },
  };
  return { context, bookmark };
}
