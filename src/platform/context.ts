import type { Caller, UserCaller } from "./caller";
import {
  type AnyDatabase,
  type Composed,
  type DirectoryDatabase,
  NOWHERE,
  type WorkspaceDatabase,
  type WorkspaceDatabases,
} from "./db/database";
import type { Mover } from "./db/residence";
import type { JobQueues } from "./jobs/queues";
import type { ReaderLanguage } from "./languages/languages";
import type { Mailer } from "./mail";
import type { BackupStore } from "./objects/backup-store";
import type { ObjectStore } from "./objects/store";
import type { ObjectStores } from "./objects/stores";
import type { Outside } from "./outside";
import type { AssetReader, LiveDelivery, Printer, Recognizer, ReportRooms, Sweepers } from "./ports";
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

/** What a request has counted against a rate limit, for the `RateLimit` fields of its answer. */
export interface CountedLimit {
  /** The name of the limit, such as `sign-in`. It names no caller. */
  policy: string;
  /** Requests in one window. */
  limit: number;
  windowMs: number;
  /** Requests that are left in the window. */
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
}

/** The services and facts that every verb gets, from a request, a job, a schedule or a Durable Object. */
export interface Context {
  /** The database of people, their credentials, and the counts of requests. */
  readonly directory: DirectoryDatabase;
  /** The name of the database that has the directory. Messages about its rows carry it. */
  readonly directoryName: string;
  /** All workspace databases. */
  readonly databases: WorkspaceDatabases;
  /**
   * The database with the workspace of this request or job. With one database, it is that one, and it shares its session with
   * the directory, which is in the same D1 database.
   */
  readonly workspace: WorkspaceDatabase;
  /** The name of `workspace`. Messages about its rows carry it. In a job of the directory, the name of the directory. */
  readonly database: string;
  /** The id of the deployed version of the code. A local service has a new id after each start. */
  readonly version: string;
  /** The objects of the workspaces of `database`. */
  readonly objects: ObjectStore;
  /** The object stores of all databases. */
  readonly stores: ObjectStores;
  /** The place of nightly backups; null without the binding BACKUP_BUCKET. */
  readonly backups: BackupStore | null;
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
  readonly sweepers: Sweepers;
  /** Calls addresses outside of the service that people name. */
  readonly outside: Outside;
  readonly settings: Settings;
  readonly caller: Caller;
  /** Milliseconds since the epoch, the same for the whole request. */
  readonly now: number;
  readonly requestId: string;
  /** The client of the request; null for jobs and schedules. */
  readonly origin: { readonly ip: string; readonly userAgent: string; readonly language: ReaderLanguage } | null;
  /** The rate limits that the request has counted against. Its answer tells them. */
  readonly counted: CountedLimit[];
  /** The claim of an `Idempotency-Key`, when the request sent one. */
  readonly idempotency: IdempotencyClaim | null;
  /** The move whose changes this context makes, in the database `workspace`. Absent outside of moves. */
  readonly mover?: Mover;
  /**
   * Makes the memberships of a caller what the claims of their token say, before the caller may do anything.
   * @returns whether something was changed
   */
  readonly followClaims: (context: Context, caller: UserCaller) => Promise<boolean>;
  /** Continues work after the answer is sent. */
  readonly background: (work: Promise<unknown>) => void;
  /** Runs one slice of a committed job now, unless another worker has it; the job's row has the result. */
  readonly runNow: (database: string, jobId: string) => Promise<void>;
}

/** The context in another workspace database. In one that the settings do not name, each statement fails. */
export const inDatabase = (context: Context, name: string): Context =>
  name === context.database
    ? context
    : {
        ...context,
        workspace: context.databases.open(name),
        database: name,
        ...(context.stores.all.length > 1 && { objects: context.stores.of(name) }),
      };

/** The context of work in the directory alone. */
const inDirectory = (context: Context): Context =>
  context.database === context.directoryName
    ? context
    : { ...context, workspace: NOWHERE, database: context.directoryName, objects: context.stores.unchosen };

/** The context in the database of a message. This can be the database that has the directory. Null for an unknown name. */
export function contextIn(context: Context, name: string): Context | null {
  if (context.databases.names.includes(name)) return inDatabase(context, name);
  return name === context.directoryName ? inDirectory(context) : null;
}

/** Every database: its context, in which its jobs run. The directory is last, if it has a database of its own. */
export const databaseNames = ({ databases, directoryName }: Pick<Context, "databases" | "directoryName">): string[] => [
  ...new Set([...databases.names, directoryName]),
];

/** A database by its name, for the tables that each database has. Statements of an unknown name fail. */
export const databaseIn = (
  { directory, directoryName, databases }: Pick<Context, "directory" | "directoryName" | "databases">,
  name: string,
): AnyDatabase => (name === directoryName ? directory : databases.open(name)) as AnyDatabase;

/** The database whose jobs run in this context: a workspace database, or the database that has the directory. */
export const ownDatabase = (
  context: Pick<Context, "database" | "databases" | "directory" | "workspace">,
): AnyDatabase =>
  (context.databases.names.includes(context.database) ? context.workspace : context.directory) as AnyDatabase;

/** Hono's environment for every router of this service. */
export interface AppEnv {
  Bindings: Cloudflare.Env;
  Variables: {
    context: Context;
    requestId: string;
    /** The bookmark of this request's database session, for `X-Bookmark`. */
    bookmark: () => string | null;
  };
}
