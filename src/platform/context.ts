import type { Caller, CredentialRef } from "./caller";
import type { Database, Statement } from "./db/database";
import type { JobQueues } from "./jobs/queues";
import type { ObjectStore } from "./objects/store";
import type { LiveDelivery, Mailer, Printer, ReportRooms } from "./ports";
import type { Settings } from "./settings";

/** What a request under an `Idempotency-Key` does with its change. */
export type IdempotencyClaim =
  /** It is the first one: its change is committed together with this mark. */
  | { kind: "first"; committed(db: Database): Statement }
  /** It repeats one that made its change: it ends there, once the caller's present access was asked. */
  | { kind: "checked" }
  /** It makes the answer of a change that was committed, with the same ids, secrets and time. */
  | { kind: "composed" };

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
    /** Where the database session of this request stands, for `X-Bookmark`. */
    bookmark: () => string | null;
  };
}
