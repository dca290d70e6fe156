import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Subscriber } from "../events";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import type { WorkspaceEvent } from "../platform/events";
import { MAX_PENDING_DELIVERIES } from "./limits";
import { occurrenceOf } from "./payloads";
import { disableWebhook, queueSending } from "./subscriptions";
import { type WebhookRow, webhookDeliveries, webhooks } from "./tables";

/** The time of an event, milliseconds since the epoch: its id is a UUIDv7. */
const timeOf = (eventId: string): number => Number.parseInt(eventId.replaceAll("-", "").slice(0, 12), 16);

type Subscribed = Pick<WebhookRow, "id" | "organizationId">;

/** The webhooks of an organization that are on and want a type. @param organizationId SQL; NULL for a personal workspace */
const subscribedTo = (
  { workspace }: Pick<Context, "workspace">,
  organizationId: SQL,
  type: string,
): Promise<Subscribed[]> =>
  workspace
    .select({ id: webhooks.id, organizationId: webhooks.organizationId })
    .from(webhooks)
    .where(
      and(
        sql`${webhooks.organizationId} = ${organizationId}`,
        eq(webhooks.isEnabled, true),
        sql`EXISTS (SELECT 1 FROM json_each(${webhooks.types}) AS wanted WHERE wanted.value = ${type})`,
      ),
    );

/** Whether a webhook has as many waiting deliveries as it may. It reads the index of one webhook up to that number. */
async function isFull({ workspace }: Pick<Context, "workspace">, webhookId: string): Promise<boolean> {
  const [row] = await workspace.all<{ isFull: number }>(
    sql`SELECT EXISTS (SELECT 1 FROM ${webhookDeliveries} WHERE ${webhookDeliveries.webhookId} = ${webhookId}
      AND ${webhookDeliveries.status} = 'pending' LIMIT 1 OFFSET ${MAX_PENDING_DELIVERIES - 1}) AS "isFull"`,
  );
  return row?.isFull === 1;
}

/** Writes the deliveries of an event, one for each webhook, and queues their sending. A repeat changes nothing. */
async function enqueue(
  context: Context,
  subscribed: readonly Subscribed[],
  { id, type, event }: { id: string; type: string; event: WorkspaceEvent },
): Promise<void> {
  const [first] = subscribed;
  if (first === undefined) return;
  const change = beginChange(context, first.organizationId);
  for (const webhook of subscribed)
    if (await isFull(context, webhook.id)) disableWebhook(context, change, webhook, "full");
    else {
      const row = { webhookId: webhook.id, id, organizationId: webhook.organizationId, type, event };
      change.add(
        context.workspace
          .insert(webhookDeliveries)
          .values({ ...row, status: "pending", nextAt: context.now, createdAt: timeOf(id) })
          .onConflictDoNothing(),
      );
      queueSending(change, webhook);
    }
  await change.commit();
}

/** The webhooks: an event becomes a delivery of each webhook that wants it. A job sends the deliveries. */
export const webhookSubscriber: Subscriber = {
  name: "webhooks",
  async deliver(context, event, eventId) {
    const occurrence = occurrenceOf(event);
    if (occurrence === null) return null;
    const { type, organizationId } = occurrence;
    await enqueue(context, await subscribedTo(context, organizationId, type), { id: eventId, type, event });
    return null;
  },
};
