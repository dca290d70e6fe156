import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { openContext } from "../../src/compose";
import { chatSummary, chatSummarySchema } from "../../src/notifications/chat";
import { DomainError } from "../../src/platform/errors";
import { expectJson } from "../support/call";
import { CHAT_URL } from "../support/chat-service";
import { mintPerson } from "../support/factories";

const UNKNOWN = { unreadNotificationCount: null, highlightCount: null };

/** The chat summary of a user while the chat catalog behaves like this. */
async function summaryWhen(behaviour: { status?: number; body?: unknown; delayMs?: number }) {
  const { token, userId } = await mintPerson();
  const { status = 200, body = "", delayMs = 0 } = behaviour;
  const kept = { status, delayMs, body: typeof body === "string" ? body : JSON.stringify(body) };
  await fetch(`${CHAT_URL}?userId=${userId}`, { method: "PUT", body: JSON.stringify(kept) });
  return expectJson(chatSummarySchema, 200, "GET", "/v1/chat/summary", { token });
}

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
      limits: { organizationIds: null, ceiling: null },
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
