import { applyD1Migrations, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { app } from "../../src/app";
import { openContext } from "../../src/compose";
import { jobHandlers } from "../../src/job-handlers";
import { type Context, contextIn, databaseNames } from "../../src/platform/context";
import { newId } from "../../src/platform/ids";
import { runJob } from "../../src/platform/jobs/run";
import { BASE_URL, type CallOptions } from "./call";
import { silentQueues } from "./job-rows";

/*
 * The service with a directory of its own and two workspace databases, in the same runtime as the other tests. No queue gets
 * its messages: `runJobs` runs what is queued, in each database.
 */

const NAMED = [
  { name: "first", binding: "D1_FIRST" },
  { name: "second", binding: "D1_SECOND" },
];

/** One of the databases, for the questions of tests. */
export const databaseOf = (name: string): D1Database =>
  ({ first: env.D1_FIRST, second: env.D1_SECOND, directory: env.D1_DIRECTORY })[name] as D1Database;

const bindings: Cloudflare.Env = {
  ...env,
  DIRECTORY: env.D1_DIRECTORY,
  DATABASES: JSON.stringify(NAMED),
  // A statement that reaches this database fails.
  DB: {} as D1Database,
} as Cloudflare.Env;

/** Makes the databases ready, in `beforeAll`. */
export async function migrateSeveral(): Promise<void> {
  for (const database of [env.D1_DIRECTORY, env.D1_FIRST, env.D1_SECOND])
    await applyD1Migrations(database, env.TEST_MIGRATIONS);
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

/** A context of the service itself. It has chosen no workspace database. @param through what stands between it and each database */
export function severalContext(through: (database: D1Database) => D1Database = (database) => database): Context {
  const named = ["DIRECTORY", "D1_FIRST", "D1_SECOND"] as const;
  const all = bindings as unknown as Record<(typeof named)[number], D1Database>;
  const between = Object.fromEntries(named.map((name) => [name, through(all[name])]));
  const { context } = openContext({ ...bindings, ...between } as Cloudflare.Env, () => {});
  return { ...context, queues: silentQueues().queues };
}

/** The same in one database. */
export function contextOfDatabase(name: string): Context {
  const there = contextIn(severalContext(), name);
  if (there === null) throw new Error(`no database ${name}`);
  return there;
}

/** The databases as the settings name them, one of them closed: a new workspace goes to the other database. */
const placedAtRandom = (): string => {
  const open = Math.random() < 0.5 ? "first" : "second";
  return JSON.stringify(NAMED.map((one) => ({ ...one, state: one.name === open ? "open" : "closed" })));
};

/** Sends a request to the service with several databases. A new workspace is placed at random. */
export async function callSeveral(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { token, body, headers = {} } = options;
  const all = new Headers(headers);
  if (token !== undefined) all.set("authorization", `Bearer ${token}`);
  if (body !== undefined) all.set("content-type", "application/json");
  all.set("cf-connecting-ip", headers["cf-connecting-ip"] ?? `2001:db8:${newId().slice(-4)}::1`);
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const request = new Request(new URL(path, BASE_URL), { method, headers: all, ...sent });
  const execution = createExecutionContext();
  const { queues } = silentQueues();
  const quiet = { JOBS: queues.light, LIVE_JOBS: queues.live, EXTRACTION_JOBS: queues.extraction };
  const vars = { DATABASES: placedAtRandom(), ...options.vars };
  const response = await app.fetch(request, { ...bindings, ...quiet, ...vars } as unknown as Cloudflare.Env, execution);
  await waitOnExecutionContext(execution);
  return response;
}

/** Sends a request that must answer with `status`. @returns its body. */
export async function expectSeveral<T extends z.ZodType>(
  schema: T,
  status: number,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<z.infer<T>> {
  const response = await callSeveral(method, path, options);
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`${method} ${path}: expected ${status}, got ${response.status} ${text}`);
  return schema.parse(text === "" ? null : JSON.parse(text));
}

/** Runs the jobs that are queued in each database, and those that they queue. */
export async function runJobs(): Promise<void> {
  const context = severalContext();
  for (let found = true; found; ) {
    found = false;
    for (const name of databaseNames(context)) {
      const open = await databaseOf(name).prepare("SELECT id FROM jobs WHERE status = 'queued'").all<{ id: string }>();
      for (const { id } of open.results)
        found = (await runJob(contextOfDatabase(name), jobHandlers, id)) !== "not-due" || found;
    }
  }
}

const session = z.object({ accessToken: z.string(), user: z.object({ id: z.string(), email: z.string() }) });

/** Registers a person through the API. */
export async function registerSeveral(): Promise<{ token: string; userId: string; email: string }> {
  const body = { email: `${newId()}@people.test`, password: "a long enough pass phrase 7", displayName: "Person" };
  const made = await expectSeveral(session, 201, "POST", "/v1/auth/register", { body });
  return { token: made.accessToken, userId: made.user.id, email: made.user.email };
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
