import { AsyncLocalStorage } from "node:async_hooks";
import { eq } from "drizzle-orm";
import type { Context as HonoContext, HonoRequest, MiddlewareHandler } from "hono";
import { type CredentialRef, factsIn, isUser } from "../platform/caller";
import { inWaves } from "../platform/concurrency";
import { type AppEnv, type Context, inDatabase } from "../platform/context";
import { DATABASES_AT_ONCE } from "../platform/db/database";
import { type Placement, placementOf } from "../platform/http/router";
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
 * Time for which an isolate remembers the database of a workspace, milliseconds. A move waits longer between its switch in the
 * directory and the first change in the new database. Until then both databases have the same rows.
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
  if (route !== undefined && asked < route.until) return inPlace(context, route.name);
  const name = await readPlace(context, number);
  if (name === undefined) return inPlace(context, first);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(number, { name, until: asked + ROUTE_MS });
  return inPlace(context, name);
}

/** The context in a database. If another database of the caller does not answer, the context has the facts about this database only. */
const inPlace = (context: Context, name: string): Context =>
  isUser(context.caller) && context.caller.facts.missing !== undefined
    ? inOneOf(context, name)
    : inDatabase(context, name);

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

/** Reads in the database of a request, or in each database of the caller. @returns one answer of each */
export async function readAcross<T>(context: Context, read: (there: Context) => Promise<T>): Promise<T[]> {
  const { names } = context.databases;
  if (names.includes(context.database)) return [await read(context)];
  return readIn(context, requireUser(context).facts.databases, read);
}

/** Reads in some databases, six at the same time. With one database, it is that one. @returns one answer of each, in their order */
export function readIn<T>(
  context: Context,
  databases: readonly string[],
  read: (there: Context, name: string) => Promise<T>,
): Promise<T[]> {
  const all = context.databases.names;
  const names = all.length === 1 ? all : databases;
  return inWaves(names, DATABASES_AT_ONCE, (name) => read(inOneOf(context, name), name));
}

const idOf = (value: unknown): string | null => idSchema.safeParse(value).data ?? null;

/** The id that names the workspace of a request, where its operation `at` has it. Null if there is none. */
async function idIn(req: HonoRequest, at: string, placement: Placement): Promise<string | null> {
  if (placement === "path") {
    const parts = req.path.split("/");
    const named = at.split("/").flatMap((part, n) => (part.startsWith(":") ? [idOf(parts[n])] : []));
    return named.find((id) => id !== null) ?? null;
  }
  if (typeof placement === "string" || placement.fields.length === 0) return null;
  const isRead = req.method === "GET" || req.method === "HEAD";
  const given: Partial<Record<string, unknown>> = isRead ? req.query() : parse(await req.text());
  return placement.fields.map((field) => idOf(given[field])).find((id) => id !== null) ?? null;
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
 * Opens the context of a request in the database of its workspace, as its operation declares. A request of no single workspace
 * keeps a context without a workspace database. `handle` runs a request again in the next database.
 */
export function inItsDatabase(handle: Handler): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const context = c.get("context");
    if (context.databases.names.length === 1) return next();
    const { caller } = context;
    const operation = c.req.matchedRoutes.find(({ method, path }) => placementOf(method, path) !== undefined);
    const placement = operation && placementOf(operation.method, operation.path);
    if (operation === undefined || placement === undefined) return next();
    const chosen = tried.getStore();
    if (chosen !== undefined) c.set("context", inOneOf(context, chosen));
    else if (placement === "each" && isUser(caller)) {
      const { databases, missing } = caller.facts;
      // Another database can know the id while one does not answer.
      const ordered = databases.toSorted((a, b) => Number(missing?.has(a) ?? false) - Number(missing?.has(b) ?? false));
      for (const name of ordered) {
        c.res = await tried.run(name, async () => handle(c.req.raw.clone(), c));
        if (c.res.status !== 404) return;
      }
      if (databases.length > 0) return;
    } else {
      const isPersonal = typeof placement === "object" && placement.otherwise === "personal";
      const id =
        (await idIn(c.req, operation.path, placement)) ?? (isPersonal && isUser(caller) ? caller.userId : null);
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
