import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { openContext } from "../../src/compose";
import { chatSummary, chatSummarySchema } from "../../src/notifications/chat";
import { DomainError } from "../../src/platform/errors";
import { expectJson } from "../support/call";
import { CHAT_URL } from "../support/chat-service";
import { mintPerson } from "../support/factories";

const UNKNOWN = { unreadNotificationCount: null, highlightCount: null };

interface Behaviour {
  status?: number;
  body?: unknown;
  delayMs?: number;
}

/** Creates a user, and sets how the chat catalog answers for this user. */
async function userWith(behaviour: Behaviour) {
  const { token, userId } = await mintPerson();
  const { status = 200, body = "", delayMs = 0 } = behaviour;
  const kept = { status, delayMs, body: typeof body === "string" ? body : JSON.stringify(body) };
  await fetch(`${CHAT_URL}?userId=${userId}`, { method: "PUT", body: JSON.stringify(kept) });
  return { token, userId };
}

const summaryOf = (token: string) => expectJson(chatSummarySchema, 200, "GET", "/v1/chat/summary", { token });

/** The chat summary of a user while the chat catalog behaves like this. */
const summaryWhen = async (behaviour: Behaviour) => summaryOf((await userWith(behaviour)).token);

describe("the chat summary", () => {
  test("has the chat catalog's counts for the caller", async () => {
    const body = { unreadNotificationCount: 3, highlightCount: 0 };
    expect(await summaryWhen({ body })).toEqual(body);
    const fresh = new Date().toISOString();
    expect(await summaryWhen({ body: { ...body, asOfUtc: fresh } })).toEqual(body);
  });

  test("is unknown while the catalog fails, sends invalid data or is stale", async () => {
    const stale = new Date(Date.now() - 6 * 60_000).toISOString();
    expect(await summaryWhen({ status: 500 })).toEqual(UNKNOWN);
    expect(await summaryWhen({ body: "not json" })).toEqual(UNKNOWN);
    expect(await summaryWhen({ body: { unreadNotificationCount: -1, highlightCount: 0 } })).toEqual(UNKNOWN);
    expect(await summaryWhen({ body: { unreadNotificationCount: 1, highlightCount: 1, asOfUtc: stale } })).toEqual(
      UNKNOWN,
    );
  });

  test("is unknown when the catalog's time is in the future, by more than clocks differ", async () => {
    const body = { unreadNotificationCount: 3, highlightCount: 1 };
    const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();
    expect(await summaryWhen({ body: { ...body, asOfUtc: inFuture(30_000) } })).toEqual(body);
    expect(await summaryWhen({ body: { ...body, asOfUtc: inFuture(120_000) } })).toEqual(UNKNOWN);
  });

  test("is one call for pages that ask at the same time, and a new call afterwards", async () => {
    const body = { unreadNotificationCount: 4, highlightCount: 0 };
    const { token, userId } = await userWith({ body, delayMs: 500 });
    const calls = async () => (await fetch(`${CHAT_URL}?userId=${userId}`, { method: "OPTIONS" })).json();
    const all = await Promise.all(Array.from({ length: 5 }, () => summaryOf(token)));
    expect(all).toEqual(Array(5).fill(body));
    expect(await calls()).toBe(1);
    expect(await summaryOf(token)).toEqual(body);
    expect(await calls()).toBe(2);
  });

  test("is unknown when the catalog is slow, without waiting for its answer", async () => {
    const body = { unreadNotificationCount: 1, highlightCount: 1 };
    expect(await summaryWhen({ body, delayMs: 10 * 60_000 })).toEqual(UNKNOWN);
  });

  test("is absent when no chat catalog is configured", async () => {
    const { context } = openContext(env, () => {});
    const { userId } = await mintPerson();
    const facts = {
      userId,
      memberships: [],
      grants: [],
      limits: { organizationIds: null, ceiling: null, isProven: true },
      databases: ["first"],
    };
    const caller = {
      kind: "session",
      sessionId: userId,
      userId,
      isAdmin: false,
      expiresAt: null,
      language: null,
      facts,
    } as const;
    const without = { ...context, caller, settings: { ...context.settings, CHAT_CATALOG_URL: undefined } };
    const refused = await chatSummary(without).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(DomainError);
    expect(refused).toMatchObject({ code: "not-found" });
  });
});
