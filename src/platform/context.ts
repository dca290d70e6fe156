import type { Caller, CredentialRef } from "./caller";
import type { Composed, DirectoryDatabase, WorkspaceDatabase } from "./db/database";
import type { JobQueues } from "./jobs/queues";
import type { Mailer } from "./mail";
import type { ObjectStore } from "./objects/store";
import type { AssetReader, LiveDelivery, Printer, Recognizer, ReportRooms } from "./ports";
import type { Settings } from "./settings";

/** The first request under an `Idempotency-Key`, or one that has taken the key over. */
export interface FirstRequest {
  readonly kind: "first";
  /** Whether this request may still commit. It may not when a repeat has taken its key over. */
  holdsKey(): Promise<boolean>;
  /** The mark that its change commits in its own database. It changes no row if another try has committed. */
  mark(): Composed;
  /** What became of its change. It is unknown if the database did not answer. */
  outcome: "none" | "committed" | "other-committed" | "unknown";
}

/** The state of a request that has an `Idempotency-Key`, and what its change does. */
type IdempotencyClaim =
  | FirstRequest
  /** A repeat of a committed request: it ends at its change, after the check of the caller's current access. */
  | { kind: "checked" }
  /** A repeat that composes the answer of the committed change again, with the same ids, secrets and time. */
  | { kind: "composed" };

/** The services and facts that every verb gets, from a request, a job, a schedule or a Durable Object. */
export interface Context {
  /** People, their credentials and what counts requests. */
  readonly directory: DirectoryDatabase;
  /** Everything that belongs to a workspace. Today both handles lead to one D1 database and share its session. */
  readonly workspace: WorkspaceDatabase;
  /** The name of the workspace database. Messages about its rows carry it. */
  readonly database: string;
  /** The id of the deployed version of the code. A local service has another one after each start. */
  readonly version: string;
  readonly objects: ObjectStore;
  readonly queues: JobQueues;
  /** Null without an email binding: people then pass links on themselves. */
  readonly mailer: Mailer | null;
  /** Delivers events to live connections. Events are persisted before they are given to it. */
  readonly live: LiveDelivery;
  /** Reads the static files of this deployment. */
  readonly assets: AssetReader;
  /** Prints pages as PDFs. */
  readonly printer: Printer;
  /** Recognizes the text of scanned pages. */
  readonly recognizer: Recognizer;
  /** The rooms in which people edit drafts together. */
  readonly rooms: ReportRooms;
  readonly settings: Settings;
  readonly caller: Caller;
  /** Milliseconds since the epoch, the same for the whole request. */
  readonly now: number;
  readonly requestId: string;
  /** The client of the request; null for jobs and schedules. */
  readonly origin: { readonly ip: string; readonly userAgent: string } | null;
  /** The claim of an `Idempotency-Key`, when the request sent one. */
  readonly idempotency: IdempotencyClaim | null;
  /** Continues work after the answer is sent. */
  readonly background: (work: Promise<unknown>) => void;
  /** Runs one slice of a committed job now, unless another worker has it; the job's row has the result. */
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
    /** The bookmark of this request's database session, for `X-Bookmark`. */
    bookmark: () => string | null;
  };
}
