import { z } from "@hono/zod-openapi";
import { and, desc, eq, lt } from "drizzle-orm";
import { auditStatement, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, notFound } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { orNull } from "../../platform/http/router";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { idKey } from "../../workspace";
import { WEBHOOK_REQUESTS_PER_MINUTE } from "../limits";
import { maySee, subjectOf } from "../sending";
import { endPause, queueSending, requireWebhook } from "../subscriptions";
import { DELIVERY_STATUSES, type DeliveryRow, type WebhookRow, webhookDeliveries } from "../tables";

const fields = {
  id: idSchema.openapi({ description: "The `webhook-id` of the requests." }),
  type: z.string(),
  status: z.enum(DELIVERY_STATUSES).openapi({
    description:
      "`withheld`: nothing was sent, because the subscriber may not see the subject, or it does not exist any more.",
  }),
  tries: z.int().openapi({ description: "Failed tries since the beginning or the last repeat." }),
  nextTryAtUtc: utcSchema.nullable().openapi({ description: "When it is tried next, at the earliest." }),
  createdAtUtc: utcSchema,
  finishedAtUtc: utcSchema.nullable(),
  lastStatus: z.int().nullable().openapi({ description: "The HTTP status of the last answer." }),
};
export const deliverySchema = z.object(fields).openapi("WebhookDelivery");

const attemptSchema = z.object({
  atUtc: utcSchema,
  durationMs: z.int(),
  status: z.int().nullable(),
  fault: z.string().nullable().openapi({ description: "What went wrong; null after a success." }),
});

export const deliveryDetailSchema = z
  .object({
    ...fields,
    attempts: z.array(attemptSchema).openapi({ description: "The last tries, in their order." }),
    requestBody: z.string().nullable().openapi({
      description: "The body of the request. Null before the first try, and if you may not see what it is about.",
    }),
    answer: orNull(z.object({ status: z.int(), contentType: z.string().nullable(), body: z.string() })).openapi({
      description: "The beginning of the last answer, without secrets.",
    }),
  })
  .openapi("WebhookDeliveryDetail");

export const presentDelivery = (row: DeliveryRow): z.infer<typeof deliverySchema> => ({
  id: row.id,
  type: row.type,
  status: row.status,
  tries: row.tries,
  nextTryAtUtc: row.status === "pending" ? toUtc(row.nextAt) : null,
  createdAtUtc: toUtc(row.createdAt),
  finishedAtUtc: toUtcOrNull(row.finishedAt),
  lastStatus: row.answer?.status ?? null,
});

/** Lists the deliveries of a webhook, newest first. @throws DomainError 401, 403, 404 */
export async function listDeliveries(
  context: Context,
  organizationId: string,
  webhookId: string,
  { limit, cursor }: PageQuery,
) {
  await requireWebhook(context, organizationId, webhookId);
  const [before] = readCursor(cursor, idKey) ?? [null];
  const rows = await context.workspace
    .select()
    .from(webhookDeliveries)
    .where(
      and(eq(webhookDeliveries.webhookId, webhookId), before === null ? undefined : lt(webhookDeliveries.id, before)),
    )
    .orderBy(desc(webhookDeliveries.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentDelivery);
}

async function requireDelivery(
  context: Context,
  organizationId: string,
  webhookId: string,
  id: string,
): Promise<{ webhook: WebhookRow; row: DeliveryRow }> {
  const { webhook } = await requireWebhook(context, organizationId, webhookId);
  const [row] = await context.workspace
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.id, id)));
  if (row === undefined) throw notFound();
  return { webhook, row };
}

/**
 * Reads a delivery with its last request and answer. The body is shown only to callers who may see what it is about now: an admin
 * can have less access than the subscriber. @throws DomainError 401, 403, 404
 */
export async function readDelivery(
  context: Context,
  organizationId: string,
  webhookId: string,
  id: string,
): Promise<z.infer<typeof deliveryDetailSchema>> {
  const { row } = await requireDelivery(context, organizationId, webhookId, id);
  const { facts } = requireUser(context);
  const subject = row.body === null ? null : await subjectOf(context, row);
  const isShown = row.event === null || (subject !== null && maySee(facts, subject));
  return {
    ...presentDelivery(row),
    attempts: row.attempts.map(({ at, ms, status, fault }) => ({ atUtc: toUtc(at), durationMs: ms, status, fault })),
    requestBody: isShown ? row.body : null,
    answer: row.answer,
  };
}

/** A webhook that is off gets nothing. */
const isOff = () => new DomainError("rule-violated", "The webhook is switched off. Switch it on first.");

/** Counts a test or a repeat. @throws DomainError 429 */
const countRequest = (context: Context, organizationId: string): Promise<void> =>
  consumeRateLimit(context, `webhook-request:${organizationId}`, WEBHOOK_REQUESTS_PER_MINUTE);

/** Sends a test to the address of a webhook. @throws DomainError 401, 403, 404, 422, 429 */
export async function testWebhook(context: Context, organizationId: string, webhookId: string) {
  const { webhook } = await requireWebhook(context, organizationId, webhookId);
  if (!webhook.isEnabled) throw isOff();
  await countRequest(context, organizationId);
  const { workspace, now } = context;
  const row: DeliveryRow = {
    ...{ webhookId, id: newIdIn(organizationId), organizationId, type: "ping", event: null, body: null },
    ...{ status: "pending", tries: 0, nextAt: now, claimedBy: null, attempts: [], answer: null },
    ...{ createdAt: now, finishedAt: null },
  };
  const change = beginChange(context, organizationId).add(
    workspace.insert(webhookDeliveries).values(row),
    endPause(context, webhookId),
  );
  queueSending(change, webhook);
  await change.commit();
  return presentDelivery(row);
}

/**
 * Sends a delivery again now, with the same id: one that has ended begins with its first try. The access of the subscriber decides
 * again. @throws DomainError 401, 403, 404, 422, 429
 */
export async function repeatDelivery(context: Context, organizationId: string, webhookId: string, id: string) {
  const { webhook, row } = await requireDelivery(context, organizationId, webhookId, id);
  if (!webhook.isEnabled) throw isOff();
  await countRequest(context, organizationId);
  const { workspace, now } = context;
  const next = { status: "pending", tries: 0, nextAt: now, finishedAt: null } as const;
  const change = beginChange(context, organizationId)
    .add(
      workspace
        .update(webhookDeliveries)
        .set(next)
        .where(and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.id, id))),
    )
    .guardChanged(notFound())
    .add(
      auditStatement(context, {
        organizationId,
        action: "webhook.delivery-repeated",
        subjectType: "webhook",
        subjectId: webhookId,
        details: { deliveryId: id },
      }),
      endPause(context, webhookId),
    );
  queueSending(change, webhook);
  await change.commit();
  return presentDelivery({ ...row, ...next });
}
