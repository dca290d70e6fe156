import type { Caller, CredentialRef } from "./access";
import { openLiveDelivery } from "./hub";
import { jobHandlers } from "./job-handlers";
import { type Database, openDatabase } from "./platform/db/database";
import type { IdempotencyClaim } from "./platform/http/idempotency";
import { newId } from "./platform/ids";
import type { JobQueues } from "./platform/jobs/queues";
import { runJob } from "./platform/jobs/run";
import type { LiveDelivery } from "./platform/live";
import { type Mailer, openMailer } from "./platform/mail";
import { openObjectStore } from "./platform/objects/open";
import type { ObjectStore } from "./platform/objects/store";
import type { Printer } from "./platform/printer";
import { type Settings, settingsOf } from "./platform/settings";
import { openPrinter, openRooms, type ReportRooms } from "./reports";

/** What every verb works with, whether a request, a job, a schedule or a Durable Object runs it. */
export interface Context {
  readonly db: Database;
  readonly objects: ObjectStore;
  readonly queues: JobQueues;
  /** Null where no mail is bound: links are then handed on by people. */
  readonly mailer: Mailer | null;
  /** Live connections; what it is given is persisted already. */
  readonly live: LiveDelivery;
  /** Makes PDFs of pages. */
  readonly printer: Printer;
  /** Drafts that people edit together. */
  readonly rooms: ReportRooms;
  readonly settings: Settings;
  readonly caller: Caller;
  /** Milliseconds since the epoch, the same for the whole request. */
  readonly now: number;
  readonly requestId: string;
  /** Where the request came from; null for work of our own. */
  readonly origin: { readonly ip: string; readonly userAgent: string } | null;
  /** The claim of an `Idempotency-Key`, when the request sent one. */
  readonly idempotency: IdempotencyClaim | null;
  /** Lets work go on after the answer is sent. */
  readonly background: (work: Promise<unknown>) => void;
  /** Runs one slice of a committed job at once, unless somebody else has it; its row says how it ended. */
  readonly runNow: (jobId: string) => Promise<void>;
}

/** Hono's environment for every router of this service. */
export interface AppEnv {
  Bindings: Cloudflare.Env;
  Variables: {
    context: Context;
    requestId: string;
    /** The kind of credential of a request that loads no caller, for the log. */
    presented?: CredentialRef["kind"];
  };
}

export interface OpenedContext {
  context: Context;
  /** Where this context's database session stands, for `X-Bookmark`. */
  bookmark: () => string | null;
}

/** Opens a context over the Worker's bindings; `env` stops here. @throws SettingsError. */
export function openContext(
  env: Cloudflare.Env,
  waitUntil: (work: Promise<unknown>) => void,
  given: Partial<Pick<Context, "caller" | "requestId" | "origin">> = {},
): OpenedContext {
  const settings = settingsOf(env);
  const { db, bookmark } = openDatabase(env.DB);
  const context: Context = {
    db,
    objects: openObjectStore(env.BUCKET, settings),
    queues: {
      live: env.LIVE_JOBS as JobQueues["live"],
      light: env.JOBS as JobQueues["light"],
      extraction: env.EXTRACTION_JOBS as JobQueues["extraction"],
      verification: env.VERIFICATION_JOBS as JobQueues["verification"],
      printing: env.PRINTING_JOBS as JobQueues["printing"],
    },
    mailer: openMailer((env as { MAIL?: SendEmail }).MAIL, settings.MAIL_FROM),
    live: openLiveDelivery(env),
    printer: openPrinter(env),
    rooms: openRooms(env),
    settings,
    caller: given.caller ?? { kind: "system" },
    now: Date.now(),
    requestId: given.requestId ?? newId(),
    origin: given.origin ?? null,
    idempotency: null,
    background: waitUntil,
    runNow: async (jobId) => {
      // The job is work of our own: it has neither the request's caller nor its idempotency claim.
      const own = { ...context, caller: { kind: "system" } as const, idempotency: null, now: Date.now() };
      await runJob(own, jobHandlers, jobId);
    },
  };
  return { context, bookmark };
}
