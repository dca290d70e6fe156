import { z } from "@hono/zod-openapi";
import { and, eq, lte, ne, or } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import type { AppEnv, Context } from "../../context";
import { randomHex, sha256Hex } from "../crypto/hash";
import { openSealed, seal } from "../crypto/seal";
import type { Database, Statement } from "../db/database";
import { DomainError } from "../errors";
import { DAY, SECOND } from "../time";
import { idempotencyKeys } from "./tables";

/** A claim outlives any usual request; after it a repeat may try, and the first can no longer commit. */
const CLAIM_MS = 60 * SECOND;
/** How long an answer is given again; a key that is older counts as never used. */
export const KEPT_MS = DAY;
/** Largest answer that is kept for a repeat, bytes. */
const LARGEST_ANSWER = 256 * 1024;

/** The claim of a request on its `Idempotency-Key`. */
export interface IdempotencyClaim {
  /** The statement that marks the request as carried out, committed with its change. */
  committed(db: Database): Statement;
}

const keptAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
const KEPT_HEADERS = ["content-type", "etag", "location"];

/**
 * The same key, caller and request gives the first answer for 24 hours; another request under the
 * same key is refused. The key's own hash names the row and the key encrypts the answer, so that a
 * secret that is shown once is not kept readable.
 */
export function idempotency(callerId: (context: Context) => string | null): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const key = c.req.header("idempotency-key");
    const context = c.get("context");
    const caller = callerId(context);
    if (key === undefined || c.req.method !== "POST" || caller === null) return next();
    if (!/^[\x21-\x7e]{1,200}$/.test(key))
      throw new DomainError("malformed-request", "Idempotency-Key is 1 to 200 visible ASCII characters.");
    const id = await sha256Hex(`${caller}\n${key}`);
    const url = new URL(c.req.url);
    // The key is not kept, so that the hash of a body that holds a password cannot be searched for it.
    const requestHash = await sha256Hex(`${key}\n${c.req.method} ${url.pathname}${url.search}\n${await c.req.text()}`);
    const claim = await claimKey(context, id, requestHash);
    if (claim.kind === "answered") return replay(claim.answer, key);
    c.set("context", {
      ...context,
      idempotency: {
        committed: (db) => db.update(idempotencyKeys).set({ status: "committed" }).where(mine(id, claim.token)),
      },
    });
    await next();
    await keepAnswer(context, id, claim.token, key, c.res);
  };
}

const mine = (id: string, token: string) => and(eq(idempotencyKeys.id, id), eq(idempotencyKeys.claimToken, token));

type KeyClaim = { kind: "claimed"; token: string } | { kind: "answered"; answer: string };

async function claimKey({ db, now }: Context, id: string, requestHash: string): Promise<KeyClaim> {
  const token = randomHex(16);
  const fresh = {
    requestHash,
    status: "claimed" as const,
    claimToken: token,
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
    .returning({ id: idempotencyKeys.id });
  if (mineNow !== undefined) return { kind: "claimed", token };
  const [held] = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.id, id));
  if (held === undefined) throw new DomainError("request-in-progress", "Send the request again.", { retryAfter: 1 });
  if (held.requestHash !== requestHash)
    throw new DomainError(
      "idempotency-key-reused",
      "This key was used for another request. Make a new key for each new request.",
    );
  if (held.answer !== null) return { kind: "answered", answer: held.answer };
  if (held.status === "claimed")
    throw new DomainError("request-in-progress", "The first request is still running. Send it again later.", {
      retryAfter: 2,
    });
  throw new DomainError(
    "answer-lost",
    "The request was carried out, but its answer was not kept. Read the list to find what it made.",
  );
}

async function keepAnswer({ db }: Context, id: string, token: string, key: string, response: Response): Promise<void> {
  const body = await response.clone().text();
  // A refusal changed nothing: the same key may be used again once its cause is mended.
  if (response.status >= 400 || body.length > LARGEST_ANSWER) {
    await db.delete(idempotencyKeys).where(and(mine(id, token), ne(idempotencyKeys.status, "committed")));
    return;
  }
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name) ?? ""]] : [])),
  );
  const answer = await seal(JSON.stringify({ status: response.status, headers, body }), key);
  await db.update(idempotencyKeys).set({ status: "answered", answer }).where(mine(id, token));
}

async function replay(sealed: string, key: string): Promise<Response> {
  const { status, headers, body } = keptAnswer.parse(JSON.parse(await openSealed(sealed, key)));
  return new Response(status === 204 ? null : body, {
    status,
    headers: { ...headers, "idempotency-replayed": "true" },
  });
}
