import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { openContext } from "../../src/compose";
import { jobHandlers } from "../../src/job-handlers";
import { type Context, contextIn, databaseNames } from "../../src/platform/context";
import { newId } from "../../src/platform/ids";
import { runJob } from "../../src/platform/jobs/run";
import { bodyOf, type CallOptions, call } from "./call";
import { silentQueues } from "./job-rows";

/*
 * The service with a directory of its own and two workspace databases, the second one with a bucket of its own, in the same runtime
 * as the other tests. A test can have up to five of them. No queue gets its messages: `runJobs` runs what is queued, in each database.
 */

const ALL_NAMED = [
  { name: "first", binding: "D1_FIRST" },
  { name: "second", binding: "D1_SECOND", bucket: "BUCKET_SECOND" },
  { name: "third", binding: "D1_THIRD" },
  { name: "fourth", binding: "D1_FOURTH", bucket: "BUCKET_SECOND" },
  { name: "fifth", binding: "D1_FIFTH" },
] as const;
/** The databases of a test that asks for no others. */
const NAMED = ALL_NAMED.slice(0, 2);

/** The names of this many workspace databases. */
export const namesOf = (count: number): string[] => ALL_NAMED.slice(0, count).map(({ name }) => name);

/** The setting that names this many workspace databases. */
export const settingOf = (count: number): string => JSON.stringify(ALL_NAMED.slice(0, count));

/** One of the databases, for the questions of tests. */
export function databaseOf(name: string): D1Database {
  const named = ALL_NAMED.find((one) => one.name === name);
  return named === undefined ? env.D1_DIRECTORY : env[named.binding];
}

/** The bucket with the objects of a database. */
export const bucketOf = (name: string): R2Bucket => (name === "second" ? env.BUCKET_SECOND : env.BUCKET);

const BINDINGS = {
  DIRECTORY: env.D1_DIRECTORY,
  // A statement that reaches this database fails.
  DB: {} as D1Database,
};

/** Makes the databases ready, in `beforeAll`. */
export const migrateSeveral = (): Promise<void> => migrateCount(NAMED.length);

/** Makes the directory and this many workspace databases ready, in `beforeAll`. */
export async function migrateCount(count: number): Promise<void> {
  for (const name of ["directory", ...namesOf(count)]) await applyD1Migrations(databaseOf(name), env.TEST_MIGRATIONS);
  // There was never a time with one database.
  await setWalked(true);
}

/** Whether the pointers of everything are written. */
export const setWalked = (isWalked: boolean): Promise<unknown> =>
  env.D1_DIRECTORY.prepare(
    isWalked
      ? "INSERT INTO walks (name, begun_at, finished_at) VALUES ('pointers', 0, 0) ON CONFLICT DO NOTHING"
      : "DELETE FROM walks",
  ).run();

/**
 * A context of the service itself. It has chosen no workspace database.
 * @param through what stands between it and each database
 * @param throughBucket what stands between it and each bucket
 * @param count the number of workspace databases
 */
export function severalContext(
  through: (database: D1Database) => D1Database = (database) => database,
  throughBucket: (bucket: R2Bucket) => R2Bucket = (bucket) => bucket,
  count: number = NAMED.length,
): Context {
  const named = ["DIRECTORY", ...ALL_NAMED.slice(0, count).map(({ binding }) => binding)];
  const bindings = { ...env, ...BINDINGS, DATABASES: settingOf(count) };
  const all = bindings as unknown as Record<string, D1Database>;
  const between = Object.fromEntries(named.map((name) => [name, through(all[name] as D1Database)]));
  const buckets = { BUCKET: throughBucket(env.BUCKET), BUCKET_SECOND: throughBucket(env.BUCKET_SECOND) };
  const { context } = openContext({ ...bindings, ...between, ...buckets } as unknown as Cloudflare.Env, () => {});
  return { ...context, queues: silentQueues().queues };
}

/** The same in one database. @param count the number of workspace databases */
export function contextOfDatabase(name: string, count: number = NAMED.length): Context {
  const there = contextIn(severalContext(undefined, undefined, count), name);
  if (there === null) throw new Error(`no database ${name}`);
  return there;
}

/** The databases as the settings name them, all but one closed: a new workspace goes to that one. */
const openOnly = (open: string): string =>
  JSON.stringify(NAMED.map((one) => ({ ...one, state: one.name === open ? "open" : "closed" })));
const placedAtRandom = (): string => openOnly(Math.random() < 0.5 ? "first" : "second");

/** Sends a request to the service with several databases. A new workspace is placed at random. */
export function callSeveral(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { queues } = silentQueues();
  return call(method, path, {
    ...options,
    headers: { "cf-connecting-ip": `2001:db8:${newId().slice(-4)}::1`, ...options.headers },
    vars: { DATABASES: placedAtRandom(), ...options.vars },
    bindings: {
      ...{ ...BINDINGS, JOBS: queues.light, LIVE_JOBS: queues.live, EXTRACTION_JOBS: queues.extraction },
      ...{ VERIFICATION_JOBS: queues.verification, DELIVERY_JOBS: queues.delivery },
      ...options.bindings,
    },
  });
}

/** Sends a request that must answer with `status`. @returns its body. */
export const expectSeveral = async <T extends z.ZodType>(
  schema: T,
  status: number,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<z.infer<T>> => bodyOf(await callSeveral(method, path, options), `${method} ${path}`, schema, status);

/** Runs the jobs that are queued in each database, and those that they queue. @param count the number of workspace databases */
export async function runJobs(count: number = NAMED.length): Promise<void> {
  const context = severalContext(undefined, undefined, count);
  for (let found = true; found; ) {
    found = false;
    for (const name of databaseNames(context)) {
      const open = await databaseOf(name).prepare("SELECT id FROM jobs WHERE status = 'queued'").all<{ id: string }>();
      for (const { id } of open.results)
        found = (await runJob(contextOfDatabase(name, count), jobHandlers, id)) !== "not-due" || found;
    }
  }
}

const session = z.object({ accessToken: z.string(), user: z.object({ id: z.string(), email: z.string() }) });

/** Registers a person through the API. */
export async function registerSeveral(
  vars: Record<string, string> = {},
): Promise<{ token: string; userId: string; email: string }> {
  const body = { email: `${newId()}@people.test`, password: "a long enough pass phrase 7", displayName: "Person" };
  const made = await expectSeveral(session, 201, "POST", "/v1/auth/register", { body, vars });
  return { token: made.accessToken, userId: made.user.id, email: made.user.email };
}

const made = z.object({ id: z.string() });

/** Creates an organization of a person in a given database. @returns its id */
export async function organizationIn(place: string, token: string, name = "Harbour"): Promise<string> {
  const vars = { DATABASES: openOnly(place) };
  return (await expectSeveral(made, 201, "POST", "/v1/orgs", { token, body: { name }, vars })).id;
}

/** Registers a person whose personal workspace is in a given database. */
export const registerIn = (place: string) => registerSeveral({ DATABASES: openOnly(place) });

/** Adds a person with a verified address to an organization. */
export async function addMemberSeveral(
  organizationId: string,
  owner: { token: string },
  { email, userId }: { email: string; userId: string },
  role = "member",
): Promise<void> {
  await env.D1_DIRECTORY.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(userId).run();
  const body = { email, role };
  const path = `/v1/orgs/${organizationId}/members`;
  await expectSeveral(z.any(), 201, "POST", path, { token: owner.token, body });
}

/** Names the database of a workspace, as the directory has it. */
export async function placeOf(workspaceId: string): Promise<string | null> {
  const found = env.D1_DIRECTORY.prepare("SELECT database FROM workspaces WHERE id = ?").bind(workspaceId);
  return (await found.first<string>("database")) ?? null;
}

/** The rows of a statement in each workspace database. */
export async function inEach<Row>(statement: string, ...values: unknown[]): Promise<Record<string, Row[]>> {
  const read = async ({ name }: (typeof NAMED)[number]) => {
    const { results } = await databaseOf(name)
      .prepare(statement)
      .bind(...values)
      .all<Row>();
    return [name, results] as const;
  };
  return Object.fromEntries(await Promise.all(NAMED.map(read)));
}
