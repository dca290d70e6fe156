import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "@hono/zod-openapi";
import { and, eq, lte, or, sql } from "drizzle-orm";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { type AppEnv, type Context, databaseIn, databaseNames, type FirstRequest } from "../context";
import { randomHex, sha256Hex, withSeed } from "../crypto/bytes";
import { openSealed, seal } from "../crypto/tokens";
import { alreadyCommitted } from "../db/change";
import { readBoth, rowsOf, runBatch } from "../db/database";
import { literal, reusable } from "../db/statements";
import { DomainError } from "../errors";
import { describeFailure, log } from "../log";
import { DAY, SECOND } from "../time";
import { committedRequests, idempotencyKeys } from "./tables";

/**
 * Lifetime of a claim. It is longer than any usual request. Afterwards a repeat can claim the key, and the first
 * request cannot commit.
 */
const CLAIM_MS = 60 * SECOND;
/** Time that a request has from its commit to its answer. Afterwards a repeat composes the answer. */
const ANSWER_MS = 10 * SECOND;
/** Retention of a key with its answer. An older key counts as unused. */
export const IDEMPOTENCY_RETENTION_MS = DAY;
/** Size of a stored answer, bytes. A larger answer is composed again for a repeat. */
const MAX_STORED_ANSWER_BYTES = 256 * 1024;

const keptAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
const KEPT_HEADERS = ["content-type", "etag", "location", "set-cookie"];

/** Statuses of refused access. A repeat gets them like any other request. */
const NO_ACCESS = new Set([401, 403, 404]);

/** The seed and time of the first request, while its answer is composed again. */
const composing = new AsyncLocalStorage<{ seed: string; now: number }>();

type Handler = (request: Request, c: HonoContext<AppEnv>) => Response | Promise<Response>;
type KeyRow = typeof idempotencyKeys.$inferSelect;

/**
 * Makes the change of an `Idempotency-Key` once. For 24 hours, a repeat gets the first answer, if the caller still has
 * access. Another request with the same key is refused. `handle` composes a lost answer again in the version of the code
 * that carried out the request: the ids and secrets of a request are derived from its key and its claim. The row is named
 * by the hash of the key, and the answer is encrypted
 * with the key, so that no secret is stored in readable form. A request without a change simply runs again.
 *
 * The keys are in the directory. The mark of a committed request is a row in the batch of its change, in the database of
 * the change: of several tries of a request, one can write it.
 */
export function idempotency(callerId: (context: Context) => string | null, handle: Handler): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const context = c.get("context");
    const first = composing.getStore();
    if (first !== undefined) {
      c.set("context", { ...context, now: first.now, idempotency: { kind: "composed" } });
      return withSeed(first.seed, first.now, next);
    }
    const key = c.req.header("idempotency-key");
    const caller = callerId(context);
    if (key === undefined || caller === null || !takesKey(c.req.raw)) return next();
    if (!/^[\x21-\x7e]{1,200}$/.test(key))
      throw new DomainError("malformed-request", "Send an Idempotency-Key of 1 to 200 visible ASCII characters.");
    const id = await sha256Hex(`${caller}\n${key}`);
    const url = new URL(c.req.url);
    const { method } = c.req;
    const body = await c.req.text();
    // A change of another revision is another request.
    const base = method === "POST" ? "" : ` ${c.req.header("if-match") ?? ""}`;
    // The key is not stored. So nobody can guess a password from the hash of its request body.
    const requestHash = await sha256Hex(
      `${key}\n${method} ${withLowerIds(url.pathname)}${withLowerIds(url.search)}${base}\n${withLowerIds(body)}`,
    );
    const claim = await claimKey(context, id, requestHash);
    let { row } = claim;
    if (claim.isFirst) {
      const request = firstRequest(context, row);
      c.set("context", { ...context, idempotency: request });
      await withSeed(await seedOf(key, row), row.createdAt, next);
      const ended = request.outcome === "other-committed" ? await findCommitted(context, row) : null;
      if (ended === null) {
        await keepAnswer(context, row, key, request.outcome, c.res);
        return;
      }
      row = ended;
    } else {
      c.set("context", { ...context, idempotency: { kind: "checked" } });
      await next();
    }
    const isRefused = c.error !== alreadyCommitted && (NO_ACCESS.has(c.res.status) || c.res.status >= 500);
    if (isRefused) return;
    if (row.answer !== null) {
      c.res = await replay(row.answer, key);
      return;
    }
    // The repeat has found the created resource by itself, as with a device that registers an image again.
    if (c.error === undefined && c.res.status < 400) return;
    // Other code may draw its ids and secrets in another order: its answer would name what does not exist.
    if (versionOf(row) !== context.version) throw responseUnavailable();
    const request = new Request(c.req.url, { method, headers: c.req.raw.headers, body });
    const again = { seed: await seedOf(key, row), now: row.createdAt };
    const answer = await composing.run(again, () => handle(request, c));
    if (answer.status >= 400) throw responseUnavailable();
    await keepAnswer(context, row, key, "committed", answer);
    c.res = new Response(answer.body, answer);
    c.res.headers.set("idempotency-replayed", "true");
  };
}

/** Whether a request can have a key: a POST, a PATCH, or a PUT of JSON. A PUT of a file is not read for its hash. */
const takesKey = ({ method, headers }: Request): boolean =>
  method === "POST" ||
  method === "PATCH" ||
  (method === "PUT" && /^application\/json\b/i.test(headers.get("content-type") ?? ""));

/** The text with its UUIDs in lower case: a repeat may write an id in another case. */
const withLowerIds = (text: string): string =>
  text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => id.toLowerCase());

const responseUnavailable = (): DomainError =>
  new DomainError(
    "response-unavailable",
    "The request was completed, but its answer is no longer available. Read the resource, or its list, to see the change.",
  );

/** Makes the token of a claim. It begins with the version of the code that makes it. */
const newClaim = ({ version }: Context): string => `${version}.${randomHex(16)}`;
const versionOf = ({ claimToken }: KeyRow): string => claimToken.slice(0, claimToken.lastIndexOf("."));

const ownRow = ({ id, claimToken }: Pick<KeyRow, "id" | "claimToken">) =>
  and(eq(idempotencyKeys.id, id), eq(idempotencyKeys.claimToken, claimToken));

/** The seed of the ids and secrets of a try. */
const seedOf = (key: string, { claimToken }: Pick<KeyRow, "claimToken">): Promise<string> =>
  sha256Hex(`${key}\n${claimToken}`);

/** The request that holds the claim of this row. */
function firstRequest({ directory }: Context, row: KeyRow): FirstRequest {
  let { claimedUntil } = row;
  const { id, claimToken, createdAt } = row;
  return {
    kind: "first",
    outcome: "none",
    async holdsKey() {
      const now = Date.now();
      if (now < claimedUntil) return true;
      claimedUntil = now + CLAIM_MS;
      const held = await directory
        .update(idempotencyKeys)
        .set({ claimedUntil })
        .where(ownRow(row))
        .returning({ id: idempotencyKeys.id });
      return held.length > 0;
    },
    // A request with several changes writes its mark again.
    mark: () => sql`INSERT INTO ${committedRequests} (id, claim_token, created_at, committed_at)
      VALUES (${id}, ${claimToken}, ${createdAt}, ${Date.now()})
      ON CONFLICT (id) DO UPDATE
      SET claim_token = excluded.claim_token, created_at = excluded.created_at, committed_at = excluded.committed_at
      WHERE claim_token = excluded.claim_token OR created_at <= excluded.created_at - ${literal(IDEMPOTENCY_RETENTION_MS)}`,
  };
}

/**
 * The row of a key whose request a try has committed, with the claim of that try. Null if none has.
 * @param before milliseconds since the epoch: only if that try committed before this time.
 */
async function findCommitted(context: Context, row: KeyRow, before = Infinity): Promise<KeyRow | null> {
  const { directory, now } = context;
  const marks = await readMarks(context, row.id);
  const [mark] = marks.flatMap((result) => rowsOf<Mark>(result));
  if (mark === undefined || mark.createdAt <= now - IDEMPOTENCY_RETENTION_MS || mark.committedAt >= before) return null;
  const { claimToken, createdAt } = mark;
  const committed = { status: "committed" as const, claimToken, createdAt, claimedUntil: 0 };
  const [found] = await directory.update(idempotencyKeys).set(committed).where(ownRow(row)).returning();
  return found ?? { ...row, ...committed };
}

/**
 * Reads the mark of a request in every database that its change can be in: the one of its workspace, or each of them if the
 * request names no workspace.
 */
async function readMarks(context: Context, id: string): Promise<D1Result[]> {
  const { directory, workspace, database, databases } = context;
  const read = [readMark({ id })];
  if (databases.names.includes(database)) {
    const marks = await readBoth({ directory, workspace }, { directory: read, workspace: read });
    return [...marks.workspace, ...marks.directory];
  }
  const names = databaseNames(context);
  return (await Promise.all(names.map((name) => runBatch(databaseIn(context, name), read)))).flat();
}

type Mark = Pick<typeof committedRequests.$inferSelect, "claimToken" | "createdAt" | "committedAt">;
const readMark = reusable<"id">(
  () => sql`SELECT claim_token AS claimToken, created_at AS createdAt, committed_at AS committedAt
    FROM ${committedRequests} WHERE id = ${sql.placeholder("id")}`,
);

/** Claims the key for this request, or returns the row of the first request. @throws DomainError 409 or 422. */
async function claimKey(context: Context, id: string, requestHash: string): Promise<{ isFirst: boolean; row: KeyRow }> {
  const { directory, now } = context;
  const fresh = {
    requestHash,
    status: "claimed" as const,
    claimToken: newClaim(context),
    claimedUntil: now + CLAIM_MS,
    answer: null,
    createdAt: now,
  };
  const taken = { ...fresh, claimToken: newClaim(context) };
  const [claimed] = await directory
    .insert(idempotencyKeys)
    .values({ id, ...fresh })
    .onConflictDoUpdate({
      target: idempotencyKeys.id,
      set: taken,
      setWhere: or(
        lte(idempotencyKeys.createdAt, now - IDEMPOTENCY_RETENTION_MS),
        and(
          eq(idempotencyKeys.status, "claimed"),
          eq(idempotencyKeys.requestHash, requestHash),
          lte(idempotencyKeys.claimedUntil, now),
        ),
      ),
    })
    .returning();
  if (claimed !== undefined) {
    // The try that held the key before may have committed without its answer.
    const committed = claimed.claimToken === taken.claimToken ? await findCommitted(context, claimed) : null;
    return committed === null ? { isFirst: true, row: claimed } : { isFirst: false, row: committed };
  }
  const [held] = await directory.select().from(idempotencyKeys).where(eq(idempotencyKeys.id, id));
  if (held === undefined) throw new DomainError("request-in-progress", "Send the request again.", { retryAfter: 1 });
  if (held.requestHash !== requestHash)
    throw new DomainError(
      "idempotency-key-reused",
      "This key was used for another request. Make a new key for each new request.",
    );
  if (held.status !== "claimed") return { isFirst: false, row: held };
  const committed = await findCommitted(context, held, now - ANSWER_MS);
  if (committed === null)
    throw new DomainError("request-in-progress", "The first request is still running. Send it again later.", {
      retryAfter: 2,
    });
  return { isFirst: false, row: committed };
}

/** Stores the answer of a committed change. A request without a change, such as a refused one, releases its key. */
async function keepAnswer(
  context: Context,
  row: KeyRow,
  key: string,
  outcome: FirstRequest["outcome"],
  response: Response,
): Promise<void> {
  const { directory } = context;
  const keep = (set: Partial<KeyRow>) => directory.update(idempotencyKeys).set(set).where(ownRow(row));
  try {
    if (outcome === "unknown" && (await findCommitted(context, row)) !== null) return;
    if (outcome !== "committed") {
      await directory.delete(idempotencyKeys).where(and(ownRow(row), eq(idempotencyKeys.status, "claimed")));
      return;
    }
    const body = await response.clone().text();
    if (response.status >= 400 || body.length > MAX_STORED_ANSWER_BYTES) {
      await keep({ status: "committed", claimedUntil: 0 });
      return;
    }
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name) ?? ""]] : [])),
    );
    const answer = await seal(JSON.stringify({ status: response.status, headers, body }), key);
    await keep({ status: "answered", answer });
  } catch (thrown) {
    // The change is committed and its answer is sent. A repeat composes the answer again.
    log("warn", "idempotency.answer-not-kept", describeFailure(thrown));
  }
}

async function replay(sealed: string, key: string): Promise<Response> {
  const { status, headers, body } = keptAnswer.parse(JSON.parse(await openSealed(sealed, key)));
  return new Response(status === 204 ? null : body, {
    status,
    headers: { ...headers, "idempotency-replayed": "true" },
  });
}
