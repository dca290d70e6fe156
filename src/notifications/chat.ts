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
/** Largest difference between the catalog's clock and the clock of the service. A later time is not trusted. */
const CHAT_CLOCK_TOLERANCE_MS = MINUTE;
/** Largest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

const count = z.int().nonnegative().nullable();
export const chatSummarySchema = z
  .object({ unreadNotificationCount: count, highlightCount: count })
  .openapi("ChatSummary");
type ChatSummary = z.infer<typeof chatSummarySchema>;

const answer = chatSummarySchema.extend({ asOfUtc: z.iso.datetime({ offset: true }).optional() });
const UNKNOWN: ChatSummary = { unreadNotificationCount: null, highlightCount: null };

/** The calls that run in this isolate, by user: pages that ask at the same time share one. */
const running = new Map<string, Promise<ChatSummary>>();

/**
 * Reads the chat catalog's counts for the caller. The counts are null when the catalog is slow, fails or is stale.
 * @throws DomainError 404 when no chat catalog is configured.
 */
export async function chatSummary(context: Context): Promise<ChatSummary> {
  const { userId } = requireUser(context);
  if (context.settings.CHAT_CATALOG_URL === undefined) throw notFound();
  const call = running.get(userId) ?? askCatalog(context, context.settings.CHAT_CATALOG_URL, userId);
  running.set(userId, call);
  // The end of the request that made the call can end the call without an answer.
  const late = scheduler.wait(CHAT_TIMEOUT_MS).then(() => UNKNOWN);
  try {
    return await Promise.race([call, late]);
  } finally {
    if (running.get(userId) === call) running.delete(userId);
  }
}

async function askCatalog({ settings, now }: Context, base: string, userId: string): Promise<ChatSummary> {
  const { CHAT_CATALOG_TOKEN: token } = settings;
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
    const age = asOfUtc === undefined ? 0 : now - Date.parse(asOfUtc);
    if (age > CHAT_MAX_AGE_MS || age < -CHAT_CLOCK_TOLERANCE_MS) return UNKNOWN;
    return { unreadNotificationCount, highlightCount };
  } catch (thrown) {
    log("warn", "chat.unavailable", { error: describeFailure(thrown).error });
    return UNKNOWN;
  }
}
