import { and, eq, sql } from "drizzle-orm";
import { auditStatement } from "../../access";
import { noteWanted } from "../../events";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { type DisabledReason, type WebhookRow, webhooks } from "../tables";

type Named = Pick<WebhookRow, "id" | "organizationId">;

/** Adds the note whether a webhook of the organization wants the images of cameras, after the rows were changed. */
export function noteInterest(change: Change, organizationId: string): Change {
  const wants = sql`EXISTS (SELECT 1 FROM ${webhooks}, json_each(${webhooks.types}) AS wanted
    WHERE ${webhooks.organizationId} = ${organizationId} AND ${webhooks.isEnabled} = 1 AND wanted.value = 'capture.published')`;
  return change.add(...noteWanted(organizationId, "capture-published", wants));
}

/** Queues the job that sends what is due for a webhook. At most one waits. */
export const queueSending = (change: Change, { id, organizationId }: Named): void => {
  change.job("send-webhooks", { webhookId: id }, { tenantId: organizationId, dedupeKey: `send-webhooks:${id}` });
};

/** The statement that ends the pause of an address, because a person wants to know whether it answers. */
export const endPause = ({ workspace }: Pick<Context, "workspace">, id: string) =>
  workspace.update(webhooks).set({ pausedUntil: 0 }).where(eq(webhooks.id, id));

/** Switches a webhook off and tells the owners and admins. One that is off already stays as it is. */
export function disableWebhook(
  context: Context,
  change: Change,
  { id: webhookId, organizationId }: Named,
  reason: DisabledReason,
): void {
  const isOn = sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.id} = ${webhookId} AND ${webhooks.isEnabled} = 1)`;
  // Each statement sees the ones before it, so the row changes last.
  change.announce({ type: "webhook-disabled", organizationId, webhookId, reason }, organizationId, isOn).add(
    auditStatement(context, {
      organizationId,
      action: "webhook.disabled",
      subjectType: "webhook",
      subjectId: webhookId,
      details: { reason },
      when: isOn,
    }),
    context.workspace
      .update(webhooks)
      .set({
        ...{ isEnabled: false, disabledReason: reason, disabledAt: context.now, nextAt: null },
        ...{ revision: sql`${webhooks.revision} + 1`, updatedAt: context.now },
      })
      .where(and(eq(webhooks.id, webhookId), eq(webhooks.isEnabled, true))),
  );
  noteInterest(change, organizationId);
}
