import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "@hono/zod-openapi";
import { and, eq, lte, ne, or } from "drizzle-orm";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { AppEnv, Context } from "../context";
import { randomHex, reproducibly, sha256Hex } from "../crypto/bytes";
import { openSealed, seal } from "../crypto/tokens";
import { carriedOut } from "../db/change";
import type { Database } from "../db/database";
import { DomainError } from "../errors";
import { describeFailure, log } from "../log";
import { DAY, SECOND } from "../time";
import { idempotencyKeys } from "./tables";

/** A claim outlives any usual request; after it a repeat may try, and the first can no longer commit. */
const CLAIM_MS = 60 * SECOND;
/** How long the first request may take from its commit to its answer before a repeat composes that answer. */
const ANSWER_MS = 10 * SECOND;
/** How long an answer is given again; a key that is older counts as never used. */
export const KEPT_MS = DAY;
/** Largest answer that is kept for a repeat, bytes; a larger one is composed again. */
const LARGEST_ANSWER = 256 * 1024;

const keptAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
const KEPT_HEADERS = ["content-type", "etag", "location"];

/** Refusals that are about the caller's access, which a repeat meets as any other request does. */
const NO_ACCESS = new Set([401, 403, 404]);

/** The first request's seed and time, while the answer of its change is composed. */
const composing = new AsyncLocalStorage<{ seed: string; now: number }>();

type Handler = (request: Request, c: HonoContext<AppEnv>) => Response | Promise<Response>;
type KeyRow = typeof idempotencyKeys.$inferSelect;

/**
 * A change is made once under one key, and its repeats get its answer for 24 hours, while the caller may still ask for
 * it; another request under the same key is refused. An answer that was lost is composed again by `handle`: a request's
 * ids and secrets follow from its key and its claim. The key's own hash names the row and the key encrypts the answer,
 * so that a secret that is shown once is not kept readable. A request that changes nothing is simply carried out again.
 */
export function idempotency(callerId: (context: Context) => string | null, handle: Handler): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const context = c.get("context");
    const first = composing.getStore();
    if (first !== undefined) {
      c.set("context", { ...context, now: first.now, idempotency: { kind: "composed" } });
      return reproducibly(first.seed, first.now, next);
    }
    const key = c.req.header("idempotency-key");
    const caller = callerId(context);
    if (key === undefined || c.req.method !== "POST" || caller === null) return next();
    if (!/^[\x21-\x7e]{1,200}$/.test(key))
      throw new DomainError("malformed-request", "Idempotency-Key is 1 to 200 visible ASCII characters.");
    const id = await sha256Hex(`${caller}\n${key}`);
    const url = new URL(c.req.url);
    const body = await c.req.text();
    // The key is not kept, so that the hash of a body that holds a password cannot be searched for it.
    const requestHash = await sha256Hex(`${key}\n${c.req.method} ${url.pathname}${url.search}\n${body}`);
    const claim = await claimKey(context, id, requestHash);
    const { row } = claim;
    const seed = await sha256Hex(`${key}\n${row.claimToken}`);
    if (claim.isFirst) {
      const committed = (db: Database) =>
        db
          .update(idempotencyKeys)
          .set({ status: "committed", claimedUntil: Date.now() + ANSWER_MS })
          .where(mine(row));
      c.set("context", { ...context, idempotency: { kind: "first", committed } });
      await reproducibly(seed, row.createdAt, next);
      await keepAnswer(context, row, key, c.res);
      return;
    }
    c.set("context", { ...context, idempotency: { kind: "checked" } });
    await next();
    const isRefused = c.error !== carriedOut && (NO_ACCESS.has(c.res.status) || c.res.status >= 500);
    if (isRefused) return;
    if (row.answer !== null) {
      c.res = await replay(row.answer, key);
      return;
    }
    // It may find by itself what was made, as a device that announces an image again does.
    if (c.error === undefined && c.res.status < 400) return;
    const request = new Request(c.req.url, { method: "POST", headers: c.req.raw.headers, body });
    const answer = await composing.run({ seed, now: row.createdAt }, () => handle(request, c));
    if (answer.status >= 400)
      throw new DomainError(
        "response-unavailable",
        "The request was carried out, but its answer cannot be given again. Read the list to find what it made.",
      );
    await keepAnswer(context, row, key, answer);
    c.res = new Response(answer.body, answer);
    c.res.headers.set("idempotency-replayed", "true");
  };
}

const mine = ({ id, claimToken }: Pick<KeyRow, "id" | "claimToken">) =>
  and(eq(idempotencyKeys.id, id), eq(idempotencyKeys.claimToken, claimToken));

/** Takes the key for this request, or finds the request that made its change under it. @throws DomainError 409, 422. */
async function claimKey(
  { db, now }: Context,
  id: string,
  requestHash: string,
): Promise<{ isFirst: boolean; row: KeyRow }> {
  const fresh = {
    requestHash,
    status: "claimed" as const,
    claimToken: randomHex(16),
    claimedUntil: now + CLAIM_MS,
    answer: null,
    createdAt: now,
  };
  const [mineNow] = await db
    .insert(idempotencyKeys)
    .values({ id, ...fresh })
    .onConflictDoUpdate({
      target: idempotencyKeys.id,
      set: fresh,
      setWhere: or(
        lte(idempotencyKeys.createdAt, now - KEPT_MS),
        and(
          eq(idempotencyKeys.status, "claimed"),
          eq(idempotencyKeys.requestHash, requestHash),
          lte(idempotencyKeys.claimedUntil, now),
        ),
      ),
    })
    .returning();
  if (mineNow !== undefined) return { isFirst: true, row: mineNow };
  const [held] = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.id, id));
  if (held === undefined) throw new DomainError("request-in-progress", "Send the request again.", { retryAfter: 1 });
  if (held.requestHash !== requestHash)
    throw new DomainError(
      "idempotency-key-reused",
      "This key was used for another request. Make a new key for each new request.",
    );
  const isRunning = held.answer === null && (held.status === "claimed" || held.claimedUntil > now);
  if (isRunning)
    throw new DomainError("request-in-progress", "The first request is still running. Send it again later.", {
      retryAfter: 2,
    });
  return { isFirst: false, row: held };
}

/** Keeps the answer of a change. What changed nothing, as every refusal, leaves its key free. */
async function keepAnswer({ db }: Context, row: KeyRow, key: string, response: Response): Promise<void> {
  const isCommitted = and(mine(row), ne(idempotencyKeys.status, "claimed"));
  try {
    const [freed] = await db
      .delete(idempotencyKeys)
      .where(and(mine(row), eq(idempotencyKeys.status, "claimed")))
      .returning({ id: idempotencyKeys.id });
    if (freed !== undefined) return;
    const body = await response.clone().text();
    if (response.status >= 400 || body.length > LARGEST_ANSWER) {
      await db.update(idempotencyKeys).set({ claimedUntil: 0 }).where(isCommitted);
      return;
    }
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name) ?? ""]] : [])),
    );
    const answer = await seal(JSON.stringify({ status: response.status, headers, body }), key);
    await db.update(idempotencyKeys).set({ status: "answered", answer }).where(isCommitted);
  } catch (thrown) {
    // The change is made and its answer goes out; a repeat composes it.
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
