import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { auditStatement, requireOrganizationAdmin, type UserCaller } from "../../access";
import { people } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { lineSchema } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { orNull } from "../../platform/http/router";
import { idSchema, newIdIn } from "../../platform/ids";
import { type AddressFault, MAX_ADDRESS_LENGTH } from "../../platform/outside";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { editableFields, fewerThan, idKey, limitReached, organizationExists } from "../../workspace";
import { FORMER_SECRET_MS, MAX_WEBHOOK_NAME_LENGTH, MAX_WEBHOOKS_PER_ORGANIZATION } from "../limits";
import { WEBHOOK_TYPES } from "../payloads";
import { newSecret, sealSecret } from "../secrets";
import { DISABLED_REASONS, type WebhookRow, webhooks } from "../tables";
import { noteInterest, queueSending } from "./states";

const name = lineSchema(MAX_WEBHOOK_NAME_LENGTH).openapi({ example: "Document archive" });
const url = z.string().min(1).max(MAX_ADDRESS_LENGTH).openapi({
  description: "An `https` address with a public name, at port 443 or 8443.",
  example: "https://hooks.example.com/documents",
});
const types = z
  .array(z.enum(WEBHOOK_TYPES))
  .min(1)
  .max(WEBHOOK_TYPES.length)
  .refine((all) => new Set(all).size === all.length, "must name each type once")
  .openapi({ description: "The types of events that are sent." });

export const newWebhookSchema = z.strictObject({ name, url, types }).openapi("WebhookCreate");
type NewWebhook = z.infer<typeof newWebhookSchema>;

export const webhookChangeSchema = z
  .strictObject({
    baseRevision: z.int().min(1).optional(),
    name: name.optional(),
    url: url.optional(),
    types: types.optional(),
    isEnabled: z.boolean().optional(),
  })
  .refine(({ baseRevision: _, ...fields }) => Object.keys(fields).length > 0, "change at least one field")
  .openapi("WebhookUpdate");
type WebhookChange = Omit<z.infer<typeof webhookChangeSchema>, "baseRevision">;

const fields = {
  id: idSchema,
  name: z.string(),
  url: z.string(),
  types: z.array(z.enum(WEBHOOK_TYPES)),
  subscriber: z
    .object({ userId: idSchema, displayName: z.string().nullable() })
    .openapi({ description: "The person whose access decides what is sent: who last set the address or the types." }),
  isEnabled: z.boolean(),
  disabledReason: orNull(z.enum(DISABLED_REASONS)).openapi({
    description: "Why the service switched the webhook off. Null if it did not.",
  }),
  disabledAtUtc: utcSchema.nullable(),
  failingSinceUtc: utcSchema.nullable().openapi({ description: "The first failed try since the last success." }),
  lastSuccessAtUtc: utcSchema.nullable(),
  formerSecretUntilUtc: utcSchema.nullable().openapi({
    description: "Until then requests are signed with the former secret, too. Null without one.",
  }),
  ...editableFields,
};
export const webhookSchema = z.object(fields).openapi("Webhook");
type WebhookDto = z.infer<typeof webhookSchema>;

export const webhookWithSecretSchema = z
  .object({
    ...fields,
    secret: z.string().openapi({ description: "The secret that verifies signatures. Only this response contains it." }),
  })
  .openapi("WebhookWithSecret");

export interface FoundWebhook {
  webhook: WebhookRow;
  /** The name of the subscriber; null if the account was deleted. */
  subscriberName: string | null;
}

export const presentWebhook = ({ webhook: row, subscriberName }: FoundWebhook, now: number): WebhookDto => ({
  id: row.id,
  name: row.name,
  url: row.url,
  types: WEBHOOK_TYPES.filter((type) => row.types.includes(type)),
  subscriber: { userId: row.subscriberId, displayName: subscriberName },
  isEnabled: row.isEnabled,
  disabledReason: row.disabledReason,
  disabledAtUtc: toUtcOrNull(row.disabledAt),
  failingSinceUtc: toUtcOrNull(row.failingSince),
  lastSuccessAtUtc: toUtcOrNull(row.lastSuccessAt),
  formerSecretUntilUtc: (row.formerUntil ?? 0) > now ? toUtcOrNull(row.formerUntil) : null,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

const selectWebhooks = ({ workspace }: Pick<Context, "workspace">) =>
  workspace
    .select({ webhook: webhooks, subscriberName: people.displayName, leftAt: people.deletedAt })
    .from(webhooks)
    .leftJoin(people, eq(people.id, webhooks.subscriberId));
type Selected = Awaited<ReturnType<typeof selectWebhooks>>[number];

const found = ({ webhook, subscriberName, leftAt }: Selected): FoundWebhook => ({
  webhook,
  subscriberName: leftAt === null ? subscriberName : null,
});

/** Lists the webhooks of an organization in the order of their creation. @throws DomainError 401, 403, 404 */
export async function listWebhooks(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireOrganizationAdmin(context, organizationId);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await selectWebhooks(context)
    .where(and(eq(webhooks.organizationId, organizationId), gt(webhooks.id, after)))
    .orderBy(asc(webhooks.id))
    .limit(limit + 1);
  return toPage(
    rows.map(found),
    limit,
    ({ webhook }) => [webhook.id],
    (row) => presentWebhook(row, context.now),
  );
}

/** Reads a webhook of an organization. @throws DomainError 401, 403, 404 */
export async function requireWebhook(context: Context, organizationId: string, id: string): Promise<FoundWebhook> {
  requireOrganizationAdmin(context, organizationId);
  const [row] = await selectWebhooks(context).where(
    and(eq(webhooks.id, id), eq(webhooks.organizationId, organizationId)),
  );
  if (row === undefined) throw notFound();
  return found(row);
}

/** What to do about an address that is not called. */
const ADVICE: Readonly<Record<AddressFault | "own-address", string>> = {
  malformed: "Send a complete address, such as https://hooks.example.com/documents.",
  scheme: "Send an address that begins with https://.",
  credentials: "Send an address without a user name and a password. Verify the signature of the requests instead.",
  port: "Send an address at port 443 or 8443.",
  "local-name": "Send an address with a public name. The service does not call local names.",
  "not-public": "Send an address that is public. The service does not call private, local and reserved addresses.",
  "own-address": "Send an address of another service.",
};

/** Refuses an address that is not called. The DNS is asked only when something is sent. @throws DomainError 422 */
function requireAddress({ outside }: Pick<Context, "outside">, address: string): void {
  const fault = outside.faultOf(address);
  if (fault !== null) throw new DomainError("rule-violated", ADVICE[fault]);
}

/** Refuses a token with a ceiling: what a webhook gets is decided by the full access of the person. @throws DomainError 403 */
function requireFullAccess({ facts }: UserCaller): void {
  if (facts.limits.ceiling !== null)
    throw forbidden("This token is restricted. Use a token without a maximum of capabilities, or sign in.");
}

/** Creates a webhook. The answer has its secret. @throws DomainError 401, 403, 404, 422 */
export async function createWebhook(context: Context, organizationId: string, given: NewWebhook) {
  const caller = requireOrganizationAdmin(context, organizationId);
  requireFullAccess(caller);
  requireAddress(context, given.url);
  const { workspace, now } = context;
  const secret = newSecret();
  const row: WebhookRow = {
    ...{ id: newIdIn(organizationId), organizationId, ...given, subscriberId: caller.userId },
    ...{ secret: await sealSecret(context, secret), formerSecret: null, formerUntil: null },
    ...{ isEnabled: true, disabledReason: null, disabledAt: null },
    ...{ failures: 0, failingSince: null, pausedUntil: 0, lastSuccessAt: null, nextAt: null },
    ...{ revision: 1, createdAt: now, updatedAt: now },
  };
  const others = sql`SELECT 1 FROM ${webhooks} WHERE ${webhooks.organizationId} = ${organizationId}`;
  const change = beginChange(context, organizationId)
    .guard(organizationExists(organizationId), notFound())
    .guard(
      fewerThan(MAX_WEBHOOKS_PER_ORGANIZATION, others),
      limitReached("This workspace", MAX_WEBHOOKS_PER_ORGANIZATION),
    )
    .add(
      workspace.insert(webhooks).values(row),
      auditStatement(context, {
        organizationId,
        action: "webhook.created",
        subjectType: "webhook",
        subjectId: row.id,
        details: { ...given },
      }),
    );
  await noteInterest(change, organizationId).commit();
  const [person] = await workspace.select().from(people).where(eq(people.id, caller.userId));
  return { ...presentWebhook({ webhook: row, subscriberName: person?.displayName ?? null }, now), secret };
}

/** Condition of a write: the webhook is as it was read. */
const asRead = ({ id, revision }: Pick<WebhookRow, "id" | "revision">) =>
  and(eq(webhooks.id, id), eq(webhooks.revision, revision));

/**
 * Changes a webhook. Who changes the address or the types, or switches it on, becomes its subscriber: otherwise one person could
 * have things sent to them that only another may see. @throws DomainError 401, 403, 404, 409, 412, 422
 */
export async function updateWebhook(
  context: Context,
  organizationId: string,
  id: string,
  given: WebhookChange,
  precondition: Precondition,
): Promise<WebhookDto> {
  const caller = requireOrganizationAdmin(context, organizationId);
  const { webhook: row } = await requireWebhook(context, organizationId, id);
  checkPrecondition(precondition, row.revision);
  if (given.url !== undefined) requireAddress(context, given.url);
  const { workspace, now } = context;
  const isSwitchedOn = given.isEnabled === true && !row.isEnabled;
  const subscribes =
    isSwitchedOn ||
    (given.url !== undefined && given.url !== row.url) ||
    given.types?.some((type) => !row.types.includes(type)) === true;
  if (subscribes) requireFullAccess(caller);
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const cleared = { failures: 0, failingSince: null, pausedUntil: 0 };
  const state =
    given.isEnabled === undefined
      ? {}
      : given.isEnabled
        ? { ...cleared, disabledReason: null, disabledAt: null }
        : { disabledAt: row.disabledAt ?? now, nextAt: null };
  const change = beginChange(context, organizationId)
    .add(
      workspace
        .update(webhooks)
        .set({
          ...changed,
          ...state,
          // Another address has no history of failures.
          ...(given.url !== undefined && given.url !== row.url ? cleared : {}),
          ...(subscribes ? { subscriberId: caller.userId } : {}),
          revision: row.revision + 1,
          updatedAt: now,
        })
        .where(asRead(row)),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "webhook.changed",
        subjectType: "webhook",
        subjectId: id,
        details: changed,
      }),
    );
  if (subscribes) queueSending(change, row);
  await noteInterest(change, organizationId).commit();
  return presentWebhook(await requireWebhook(context, organizationId, id), now);
}

/** Deletes a webhook and its deliveries. @throws DomainError 401, 403, 404, 409, 412 */
export async function deleteWebhook(
  context: Context,
  organizationId: string,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const { webhook: row } = await requireWebhook(context, organizationId, id);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context, organizationId)
    .guard(sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.id} = ${id})`, notFound())
    .add(context.workspace.delete(webhooks).where(asRead(row)))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "webhook.deleted",
        subjectType: "webhook",
        subjectId: id,
        details: { name: row.name, url: row.url },
      }),
    );
  await noteInterest(change, organizationId).commit();
}

/**
 * Gives a webhook another secret, which the answer has. The former one signs too for FORMER_SECRET_MS, so that a receiver can
 * change over. @throws DomainError 401, 403, 404, 409, 412
 */
export async function rotateSecret(context: Context, organizationId: string, id: string, precondition: Precondition) {
  const { webhook: row } = await requireWebhook(context, organizationId, id);
  checkPrecondition(precondition, row.revision);
  const { workspace, now } = context;
  const secret = newSecret();
  const changed = {
    secret: await sealSecret(context, secret),
    formerSecret: row.secret,
    formerUntil: now + FORMER_SECRET_MS,
    revision: row.revision + 1,
    updatedAt: now,
  };
  await beginChange(context, organizationId)
    .add(workspace.update(webhooks).set(changed).where(asRead(row)))
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: "webhook.secret-rotated",
        subjectType: "webhook",
        subjectId: id,
        details: { name: row.name },
      }),
    )
    .commit();
  return { ...presentWebhook(await requireWebhook(context, organizationId, id), now), secret };
}
