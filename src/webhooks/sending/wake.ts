import { and, asc, lte, sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { MINUTE } from "../../platform/time";
import { DELIVERIES_DELETED_PER_SLICE, DELIVERY_RETENTION, WOKEN_PER_SLICE } from "../limits";
import { queueSending } from "../subscriptions";
import { webhookDeliveries, webhooks } from "../tables";

/** Queues the sending of webhooks whose next delivery is due. */
export const wakeWebhooks: RecurringHandler<"wake-webhooks"> = {
  hasWork: ({ now }) =>
    sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.nextAt} IS NOT NULL AND ${webhooks.nextAt} <= ${now})`,
  async run(context) {
    const { workspace, now } = context;
    const due = await workspace
      .select({ id: webhooks.id, organizationId: webhooks.organizationId })
      .from(webhooks)
      .where(and(sql`${webhooks.nextAt} IS NOT NULL`, lte(webhooks.nextAt, now), isHere(webhooks.organizationId)))
      .orderBy(asc(webhooks.nextAt))
      .limit(WOKEN_PER_SLICE);
    if (due.length === 0) return complete();
    const change = beginChange(context, [...new Set(due.map(({ organizationId }) => organizationId))]);
    for (const webhook of due) queueSending(change, webhook);
    const ids = due.map(({ id }) => id);
    // The job writes the next time. If it is lost with its row, the webhook is woken again.
    change.add(
      workspace
        .update(webhooks)
        .set({ nextAt: sql`iif(${webhooks.isEnabled}, ${now + MINUTE}, NULL)` })
        .where(and(inSet(webhooks.id, ids), lte(webhooks.nextAt, now))),
    );
    return due.length < WOKEN_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};

/** Deletes deliveries after their retention. */
export const expireDeliveries: RecurringHandler<"expire-webhook-deliveries"> = {
  hasWork: ({ now }) =>
    sql`EXISTS (SELECT 1 FROM ${webhookDeliveries} WHERE ${lte(webhookDeliveries.createdAt, now - DELIVERY_RETENTION)})`,
  async run(context) {
    const { workspace, now } = context;
    const old = await workspace
      .select({
        webhookId: webhookDeliveries.webhookId,
        id: webhookDeliveries.id,
        organizationId: webhookDeliveries.organizationId,
      })
      .from(webhookDeliveries)
      .where(and(lte(webhookDeliveries.createdAt, now - DELIVERY_RETENTION), isHere(webhookDeliveries.organizationId)))
      .limit(DELIVERIES_DELETED_PER_SLICE);
    if (old.length === 0) return complete();
    const keys = JSON.stringify(old.map(({ webhookId, id }) => [webhookId, id]));
    const change = beginChange(context, [...new Set(old.map(({ organizationId }) => organizationId))]).add(
      sql`DELETE FROM ${webhookDeliveries} WHERE (webhook_id, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${keys}))`,
    );
    return old.length < DELIVERIES_DELETED_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
