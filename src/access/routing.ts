import { AsyncLocalStorage } from "node:async_hooks";
import { eq } from "drizzle-orm";
import type { Context as HonoContext, HonoRequest, MiddlewareHandler } from "hono";
import { type CredentialRef, factsIn, isUser } from "../platform/caller";
import { type AppEnv, type Context, inDatabase } from "../platform/context";
import { DATABASES_AT_ONCE } from "../platform/db/database";
import { idSchema, numberOf } from "../platform/ids";
import { SECOND } from "../platform/time";
import { asReader, requireUser } from "./require";
import { workspaces } from "./tables";

/*
 * How work finds the database of its workspace. Each id that was made in a workspace carries the workspace's number, and all
 * workspaces of a number are in one database. The directory knows it. With one database, nobody asks.
 */

/** Numbers of workspaces whose database an isolate remembers, about 60 bytes each. */
const MAX_KNOWN = 10_000;
/**
 * Time for which an isolate believes where a workspace is, milliseconds. A move waits longer between its switch in the directory and the
 * first change in the new database: whoever reads in the former one until then, reads the same.
 */
export const ROUTE_MS = 5 * SECOND;
const known = new Map<number, { name: string; until: number }>();

/**
 * The context in the database that has the row of an id, if there is such a row. The id was made in a workspace, or is the id of
 * one. No database has an id whose number the directory does not know: then it is the first database, where it is absent too.
 * @throws if the directory does not answer: there is no default.
 */
export const contextAt = (context: Context, id: string): Promise<Context> => contextOfNumber(context, numberOf(id));

/** The same by the number alone, for a secret that carries the number and no id. */
export async function contextOfNumber(context: Context, number: number): Promise<Context> {
  const { names } = context.databases;
  const first = names[0] as string;
  if (names.length === 1) return inDatabase(context, first);
  const asked = Date.now();
  const route = known.get(number);
  if (route !== undefined && asked < route.until) return inDatabase(context, route.name);
  const name = await readPlace(context, number);
  if (name === undefined) return inDatabase(context, first);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(number, { name, until: asked + ROUTE_MS });
  return inDatabase(context, name);
}

/** Forgets all routes, as after ROUTE_MS. */
export const forgetRoutes = (): void => known.clear();

/** Forgets where a workspace is, so that the next request asks the directory: the database said that it moves. */
const forget = (id: string): boolean => known.delete(numberOf(id));

/** The context in one of the caller's databases, with the facts about the workspaces of that database. */
function inOneOf(context: Context, name: string): Context {
  const there = inDatabase(context, name);
  const { caller } = there;
  return isUser(caller) ? { ...there, caller: { ...caller, facts: factsIn(caller.facts, name) } } : there;
}

async function readPlace({ directory }: Context, number: number): Promise<string | undefined> {
  const [row] = await directory
    .select({ database: workspaces.database })
    .from(workspaces)
    .where(eq(workspaces.number, number))
    .limit(1);
  return row?.database;
}

/**
 * The context of a credential that was presented earlier, in the database of these ids: the last one was made in a workspace.
 * Null if the credential has ended.
 */
export async function asReaderAt(
  context: Context,
  reader: CredentialRef,
  ids: readonly string[],
): Promise<Context | null> {
  const own = await asReader(context, reader);
  const id = ids.findLast((text) => idSchema.safeParse(text).success);
  return own === null || id === undefined ? own : contextAt(own, id);
}

/**
 * Reads one page of rows in the order of their ids. If the request has one workspace or the caller one database, the page is read from that
 * database. Otherwise each database of the caller gives its page after the same key, and the page is the first rows of all these pages. A key
 * names no database. Ids are compared as text of ASCII, as SQLite does.
 * @param limit rows that `read` returns at most
 */
export async function pageAcross<Row extends { id: string }>(
  context: Context,
  limit: number,
  read: (there: Context) => Promise<Row[]>,
): Promise<Row[]> {
  const pages = await readAcross(context, read);
  if (pages.length === 1) return pages[0] as Row[];
  return pages
    .flat()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

/** Reads in the database of a request, or in each database of the caller, six at the same time. @returns one answer of each */
export async function readAcross<T>(context: Context, read: (there: Context) => Promise<T>): Promise<T[]> {
  const { names } = context.databases;
  if (names.includes(context.database)) return [await read(context)];
  const { databases } = requireUser(context).facts;
  const answers: T[] = [];
  for (let at = 0; at < databases.length; at += DATABASES_AT_ONCE)
    answers.push(
      ...(await Promise.all(databases.slice(at, at + DATABASES_AT_ONCE).map((name) => read(inOneOf(context, name))))),
    );
  return answers;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const idOf = (value: unknown): string | null => idSchema.safeParse(value).data ?? null;

/** Fields of a body or a query that name the workspace of a request, or something in it. */
const FIELDS = [
  "organizationId",
  "clusterId",
  "locationId",
  "documentId",
  "reportId",
  "templateId",
  "cameraId",
] as const;

/** Paths whose ids were not made in a workspace: accounts with their credentials, and images, which devices name. */
const OF_DIRECTORY = /^\/v1\/auth\//;
const OF_DEVICES = /^\/v1\/camera-captures\//;
/** Paths of a POST that creates something in the personal workspace if the body names no organization. */
const PERSONAL = /^\/v1\/(?:spatial\/clusters|tags|reports\/templates)(?:\/users\/me)?$/;

const isPersonal = ({ method, path }: HonoRequest): boolean => method === "POST" && PERSONAL.test(path);

/** The id that names the workspace of a request: in its path, its query or its body. Null if there is none. */
async function idIn(req: HonoRequest): Promise<string | null> {
  const inPath = UUID.exec(req.path)?.[0];
  if (inPath !== undefined) return inPath.toLowerCase();
  const query = req.query();
  for (const field of FIELDS) if (idOf(query[field]) !== null) return idOf(query[field]);
  if (req.method === "GET" || !req.header("content-type")?.startsWith("application/json")) return null;
  const body = parse(await req.text());
  for (const field of FIELDS) if (idOf(body[field]) !== null) return idOf(body[field]);
  return null;
}

function parse(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // The route refuses it.
    return {};
  }
}

/** The status of `workspace-moving`. */
const MOVING_STATUS = 503;

/** The database of a request that is tried in one database after the other. */
const tried = new AsyncLocalStorage<string>();

type Handler = (request: Request, c: HonoContext<AppEnv>) => Response | Promise<Response>;

/**
 * Opens the context of a request in the database of its workspace. A request of no single workspace keeps a context without a
 * workspace database. `handle` runs a request again: an image is looked for in each database of the caller.
 */
export function inItsDatabase(handle: Handler): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const context = c.get("context");
    const { names } = context.databases;
    if (names.length === 1 || OF_DIRECTORY.test(c.req.path)) return next();
    const { caller } = context;
    const chosen = tried.getStore();
    if (chosen !== undefined) c.set("context", inOneOf(context, chosen));
    else if (OF_DEVICES.test(c.req.path) && isUser(caller) && caller.facts.databases.length > 0) {
      for (const name of caller.facts.databases) {
        c.res = await tried.run(name, async () => handle(c.req.raw.clone(), c));
        if (c.res.status !== 404) return;
      }
      return;
    } else {
      const id = (await idIn(c.req)) ?? (isUser(caller) && isPersonal(c.req) ? caller.userId : null);
      if (id !== null) {
        c.set("context", await contextAt(context, id));
        await next();
        if (c.res.status === MOVING_STATUS) forget(id);
        return;
      }
    }
    return next();
  };
}
