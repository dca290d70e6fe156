import { z } from "@hono/zod-openapi";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { notFound } from "../platform/errors";
import { readBounded } from "../platform/http/bodies";
import { describeFailure, log } from "../platform/log";
import { MINUTE, SECOND } from "../platform/time";

/** Longest wait for the chat catalog, and the age after which its answer is stale. */
const CHAT_TIMEOUT_MS = 2 * SECOND;
const CHAT_MAX_AGE_MS = 5 * MINUTE;
/** Largest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

const count = z.int().nonnegative().nullable();
export const chatSummarySchema = z
  .object({ unreadNotificationCount: count, highlightCount: count })
  .openapi("ChatSummary");
type ChatSummary = z.infer<typeof chatSummarySchema>;

const answer = chatSummarySchema.extend({ asOfUtc: z.iso.datetime({ offset: true }).optional() });
const UNKNOWN: ChatSummary = { unreadNotificationCount: null, highlightCount: null };

/**
 * Reads the chat catalog's counts for the caller. The counts are null when the catalog is slow, fails or is stale.
 * @throws DomainError 404 when no chat catalog is configured.
 */
export async function chatSummary(context: Context): Promise<ChatSummary> {
  const { userId } = requireUser(context);
  const { CHAT_CATALOG_URL: base, CHAT_CATALOG_TOKEN: token } = context.settings;
  if (base === undefined) throw notFound();
  const url = new URL(base);
  url.searchParams.set("userId", userId);
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      redirect: "manual",
      signal: AbortSignal.timeout(CHAT_TIMEOUT_MS),
    });
    if (!response.ok || response.body === null) throw new Error(`the chat catalog answered ${response.status}`);
    const body = await readBounded(response.body, MAX_ANSWER_BYTES);
    if (body === null) throw new Error("the chat catalog's answer is too large");
    const { asOfUtc, unreadNotificationCount, highlightCount } = answer.parse(JSON.parse(await body.text()));
    if (asOfUtc !== undefined && context.now - Date.parse(asOfUtc) > CHAT_MAX_AGE_MS) return UNKNOWN;
    return { unreadNotificationCount, highlightCount };
  } catch (thrown) {
    log("warn", "chat.unavailable", { requestId: context.requestId, error: describeFailure(thrown).error });
    return UNKNOWN;
  }
}
