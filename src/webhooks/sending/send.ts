import { and, eq, type SQL, sql } from "drizzle-orm";
import { loadCredential, userRef } from "../../access";
import { organizations } from "../../access/tables";
import { factsIn } from "../../platform/caller";
import type { Context } from "../../platform/context";
import { randomHex } from "../../platform/crypto/bytes";
import { beginChange, type Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { complete, continueLater, countQueries, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { HOUR, MINUTE } from "../../platform/time";
import { CLAIM_MS, DEAD_AFTER_MS, MAX_LISTED_ATTEMPTS, MAX_REQUESTS_AT_ONCE, SENDING_MS } from "../limits";
import { secretsOf } from "../secrets";
import { disableWebhook } from "../subscriptions";
import { type DeliveryRow, type WebhookRow, webhookDeliveries, webhooks } from "../tables";
import { attemptDelivery, type Verdict } from "./attempt";
import { pauseAfter, retryDelayAfter } from "./schedule";

const isPending = sql`${webhookDeliveries.status} = 'pending'`;
const ofWebhook = (id: string): SQL => sql`${webhookDeliveries.webhookId} = ${id}`;

/** A webhook, and whether things may be sent to it: it is on, and its organization is not deleted. */
async function findWebhook(
  { workspace }: Context,
  id: string,
): Promise<{ webhook: WebhookRow; mayGet: boolean } | null> {
  const [row] = await workspace
    .select({ webhook: webhooks, deletedAt: organizations.deletedAt })
    .from(webhooks)
    .innerJoin(organizations, eq(organizations.id, webhooks.organizationId))
    .where(eq(webhooks.id, id));
  return row === undefined ? null : { webhook: row.webhook, mayGet: row.webhook.isEnabled && row.deletedAt === null };
}

/**
 * Claims deliveries that are due, the oldest first: nobody else sends them until CLAIM_MS are over. All workers of a webhook
 * together claim MAX_REQUESTS_AT_ONCE, and one after a failure. A worker that dies leaves deliveries that are due again.
 */
async function claimDue(context: Context, webhook: WebhookRow): Promise<DeliveryRow[]> {
  const now = Date.now();
  if (webhook.pausedUntil > now) return [];
  const most = webhook.failures > 0 ? 1 : MAX_REQUESTS_AT_ONCE;
  const claimedBy = randomHex(16);
  const inFlight = sql`(SELECT count(*) FROM ${webhookDeliveries} WHERE ${ofWebhook(webhook.id)} AND claimed_by IS NOT NULL
    AND next_at > ${now})`;
  const due = sql`SELECT id FROM ${webhookDeliveries} WHERE ${ofWebhook(webhook.id)} AND ${isPending} AND next_at <= ${now}
    ORDER BY next_at LIMIT max(0, ${most} - ${inFlight})`;
  const [claimed] = await beginChange(context, webhook.organizationId)
    .add(
      context.workspace
        .update(webhookDeliveries)
        .set({ nextAt: now + CLAIM_MS, claimedBy })
        .where(and(eq(webhookDeliveries.webhookId, webhook.id), sql`${webhookDeliveries.id} IN (${due})`)),
    )
    .commit();
  if (claimed?.meta.changes === 0) return [];
  return context.workspace
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhook.id),
        sql`${webhookDeliveries.claimedBy} IS NOT NULL`,
        eq(webhookDeliveries.claimedBy, claimedBy),
      ),
    );
}

/** The new state of a delivery after a try. */
function afterTry(row: DeliveryRow, verdict: Verdict): Partial<DeliveryRow> {
  const at = Date.now();
  const attempts = [...row.attempts, verdict.attempt].slice(-MAX_LISTED_ATTEMPTS);
  const ended = { attempts, claimedBy: null, nextAt: at, finishedAt: at };
  switch (verdict.kind) {
    case "withheld":
      return { ...ended, status: "withheld" };
    case "succeeded":
      return { ...ended, status: "succeeded", body: verdict.body, answer: verdict.answer };
    case "failed": {
      const { body, answer } = verdict;
      const tries = row.tries + 1;
      const delay = verdict.isGone ? null : retryDelayAfter(tries, verdict.retryAfterMs);
      return delay === null
        ? { ...ended, status: "failed", tries, body, answer }
        : { attempts, claimedBy: null, tries, body, answer, nextAt: Math.round(at + delay) };
    }
  }
}

/** The new state of a webhook after some tries at the same time; null if they say nothing of its address. */
function addressAfter(webhook: WebhookRow, verdicts: readonly Verdict[]): Partial<WebhookRow> | null {
  const now = Date.now();
  if (verdicts.some(({ kind }) => kind === "succeeded"))
    return { failures: 0, failingSince: null, pausedUntil: 0, lastSuccessAt: now };
  if (!verdicts.some(({ kind }) => kind === "failed")) return null;
  const failures = webhook.failures + 1;
  return { failures, failingSince: webhook.failingSince ?? now, pausedUntil: now + pauseAfter(failures) };
}

/** Adds the results of some tries to a change. A result of a worker whose claim is over is left out. */
function record(
  context: Context,
  change: Change,
  webhook: WebhookRow,
  tried: readonly { row: DeliveryRow; verdict: Verdict }[],
): void {
  const { workspace } = context;
  for (const { row, verdict } of tried)
    change.add(
      workspace
        .update(webhookDeliveries)
        .set(afterTry(row, verdict))
        .where(
          and(
            eq(webhookDeliveries.webhookId, webhook.id),
            eq(webhookDeliveries.id, row.id),
            eq(webhookDeliveries.claimedBy, row.claimedBy ?? ""),
          ),
        ),
    );
  const verdicts = tried.map(({ verdict }) => verdict);
  const state = addressAfter(webhook, verdicts);
  if (state !== null) change.add(workspace.update(webhooks).set(state).where(eq(webhooks.id, webhook.id)));
  if (verdicts.some((verdict) => verdict.kind === "failed" && verdict.isGone))
    disableWebhook(context, change, webhook, "gone");
  else if (state?.failingSince != null && Date.now() - state.failingSince >= DEAD_AFTER_MS)
    disableWebhook(context, change, webhook, "dead");
}

/**
 * The end of the work for now: the row of the webhook says when there is work again, and the wake-up queues it then. A pause of
 * seconds is waited for by this job, if it has sent something.
 */
async function rest(
  context: Context,
  { id: webhookId, organizationId }: WebhookRow,
  hasSent: boolean,
): Promise<Outcome> {
  const { workspace } = context;
  const [next] = await workspace.all<{ at: number | null }>(sql`SELECT max(
      (SELECT min(next_at) FROM ${webhookDeliveries} WHERE ${ofWebhook(webhookId)} AND ${isPending}),
      (SELECT ${webhooks.pausedUntil} FROM ${webhooks} WHERE ${webhooks.id} = ${webhookId})) AS at`);
  const at = next?.at ?? null;
  const change = beginChange(context, organizationId).add(
    workspace
      .update(webhooks)
      .set({ nextAt: at })
      .where(and(eq(webhooks.id, webhookId), eq(webhooks.isEnabled, true))),
  );
  const delayMs = at === null ? null : Math.max(0, at - Date.now());
  return hasSent && delayMs !== null && delayMs < MINUTE ? continueLater(null, { change, delayMs }) : complete(change);
}

/** What the subscriber may see now and the secrets; or why the webhook is switched off. */
async function authorize(context: Context, webhook: WebhookRow) {
  const live = await loadCredential(context, userRef(webhook.subscriberId), context.now);
  const facts = live && factsIn(live.facts, context.database);
  const isMember = facts?.memberships.some(({ organizationId }) => organizationId === webhook.organizationId) ?? false;
  if (facts === null || !isMember) return "subscriber-left" as const;
  const secrets = await secretsOf(context, webhook, context.now);
  return secrets === null ? ("secret-unreadable" as const) : { facts, secrets };
}

/** Time after which a webhook of a deleted organization is looked at again, milliseconds. */
const DELETED_DELAY_MS = HOUR;

/** The webhook of a deleted organization goes on if the organization is restored. */
const lookLater = (context: Context, { id, organizationId }: WebhookRow): Change =>
  beginChange(context, organizationId).add(
    context.workspace
      .update(webhooks)
      .set({ nextAt: context.now + DELETED_DELAY_MS })
      .where(and(eq(webhooks.id, id), eq(webhooks.isEnabled, true))),
  );

/**
 * Sends what is due for one webhook, a few requests at a time. The access of the subscriber is read again before each of them.
 * A kill at any line leaves the deliveries due: a receiver may get one twice, with the same id.
 */
export const sendWebhooks: JobHandler<"send-webhooks"> = {
  async run(given, { payload: { webhookId } }) {
    const isFull = countQueries(given);
    const until = Date.now() + SENDING_MS;
    for (let hasSent = false; ; hasSent = true) {
      const context = { ...given, now: Date.now() };
      const found = await findWebhook(context, webhookId);
      if (found === null) return complete();
      const { webhook, mayGet } = found;
      const { organizationId } = webhook;
      if (!mayGet) return complete(lookLater(context, webhook));
      const due = await claimDue(context, webhook);
      if (due.length === 0) return rest(context, webhook, hasSent);
      const authorized = await authorize(context, webhook);
      const change = beginChange(context, organizationId);
      if (typeof authorized === "string") {
        release(context, change, webhook, due);
        disableWebhook(context, change, webhook, authorized);
        return complete(change);
      }
      const tried = await Promise.all(
        due.map(async (row) => ({ row, verdict: await attemptDelivery(context, webhook, row, authorized) })),
      );
      record(context, change, webhook, tried);
      await change.commit();
      if (Date.now() >= until || isFull()) return continueLater(null);
    }
  },
  failed({ workspace, now }, { payload: { webhookId } }, change) {
    change.add(
      workspace
        .update(webhooks)
        .set({ nextAt: now + HOUR })
        .where(eq(webhooks.id, webhookId)),
    );
  },
};

/** Adds the end of claims without a try: the deliveries wait until the webhook is on again. */
function release({ workspace, now }: Context, change: Change, webhook: WebhookRow, rows: readonly DeliveryRow[]): void {
  const ids = rows.map(({ id }) => id);
  change.add(
    workspace
      .update(webhookDeliveries)
      .set({ claimedBy: null, nextAt: now })
      .where(and(eq(webhookDeliveries.webhookId, webhook.id), inSet(webhookDeliveries.id, ids))),
  );
}
