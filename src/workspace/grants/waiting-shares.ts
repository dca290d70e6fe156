import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, type SQL } from "drizzle-orm";
import { auditStatement, type CapabilityMap, capabilityMapSchema } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { forbidden, notFound } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { idSchema, newIdIn } from "../../platform/ids";
import { readerLanguage } from "../../platform/languages/reader";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { idKey } from "../fields";
import { mayStillShare, type Resource, requireResource, requireSharer, type ShareableKind } from "../grantable";
import {
  hasRoomForInvitation,
  type InvitationRow,
  invitationHeld,
  isNotHeld,
  newToken,
  tooManyInvitations,
} from "../invitations/invitations";
import { INVITATION_LIFETIME_MS, INVITATION_RATE_LIMIT } from "../limits";
import { invitations } from "../tables";

/*
 * A share with an address that has no verified account waits in the invitations of the organization. Only the link that a job
 * mails to the address uses it, or another proof of the address: nobody else sees that link.
 */

export const waitingShareSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    capabilities: capabilityMapSchema,
    grantedBy: idSchema,
    isMailed: z.boolean().openapi({
      description:
        "Whether a link was mailed. It is false until the mail is sent, and stays so if the address gets too many.",
    }),
    waitsUntilUtc: utcSchema.openapi({ description: "Without a person who proves the address, it ends then." }),
    expiresAtUtc: utcSchema.nullable().openapi({ description: "The end of the grant that the person gets." }),
    createdAtUtc: utcSchema,
  })
  .openapi("WaitingShare");

export const presentWaitingShare = (row: InvitationRow): z.infer<typeof waitingShareSchema> => ({
  id: row.id,
  email: row.email,
  capabilities: row.capabilities ?? {},
  grantedBy: row.invitedBy,
  isMailed: row.mailedHash !== null,
  waitsUntilUtc: toUtc(row.expiresAt),
  expiresAtUtc: toUtcOrNull(row.grantExpiresAt),
  createdAtUtc: toUtc(row.createdAt),
});

/** Whether a share of this resource can wait: the link is mailed, and an organization keeps it. */
export const canWait = ({ mailer }: Context, organizationId: string | null): organizationId is string =>
  mailer !== null && organizationId !== null;

/** Condition: the share of a resource that waits for an address. */
export const waitingOn = (targetId: string, email: string): SQL | undefined =>
  and(eq(invitations.targetId, targetId), eq(invitations.email, email), isNull(invitations.usedAt));

export interface NewWaitingShare {
  email: string;
  capabilities: CapabilityMap;
  /** Milliseconds since the epoch; null for no end. */
  expiresAt: number | null;
}

/**
 * Makes a share that waits for the person with an address. It replaces one on the same resource for the same address. A job mails the
 * link. @throws DomainError forbidden, rule-violated, rate-limited; conflict while a person registers with the one that it would replace.
 */
export async function createWaitingShare(context: Context, resource: Resource, given: NewWaitingShare) {
  const { workspace, now } = context;
  const { id: targetId, kind, place, caller } = resource;
  const { tenantId: organizationId } = place;
  const { email, capabilities, expiresAt } = given;
  await consumeRateLimit(context, `invite:${caller.userId}`, INVITATION_RATE_LIMIT, "invitations");
  const latest = now + INVITATION_LIFETIME_MS;
  const row: InvitationRow = {
    id: newIdIn(organizationId),
    organizationId,
    email,
    role: "guest",
    overrides: {},
    // Nobody has this secret: the link of the maker would not prove the address.
    secretHash: (await newToken(organizationId)).hash,
    invitedBy: caller.userId,
    createdAt: now,
    expiresAt: expiresAt === null ? latest : Math.min(latest, expiresAt),
    usedAt: null,
    mailedHash: null,
    registrationId: null,
    target: kind.target,
    targetId,
    capabilities,
    grantExpiresAt: expiresAt,
  };
  const replaced = waitingOn(targetId, email);
  const change = beginChange(context, organizationId)
    .guard(mayStillShare(resource), forbidden())
    .guard(isNotHeld(replaced), invitationHeld())
    .add(workspace.delete(invitations).where(replaced))
    .guard(hasRoomForInvitation(organizationId, now), tooManyInvitations())
    .add(workspace.insert(invitations).values(row))
    .add(
      auditStatement(context, {
        organizationId,
        action: "invitation.created",
        subjectType: kind.target,
        subjectId: targetId,
        details: { invitationId: row.id, email, capabilities, expiresAtUtc: toUtcOrNull(expiresAt) },
      }),
    );
  const mail = { invitationId: row.id, language: readerLanguage(context) };
  change.job("mail-waiting-share", mail, { tenantId: organizationId });
  await change.commit();
  return presentWaitingShare(row);
}

const openOn = (targetId: string, now: number) =>
  and(eq(invitations.targetId, targetId), isNull(invitations.usedAt), gt(invitations.expiresAt, now));

/** Reads the resource of waiting shares, for a caller who may share it. @throws DomainError 401, 403, 404. */
async function requireSharable(context: Context, kind: ShareableKind, id: string): Promise<Resource> {
  const resource = await requireResource(context, kind, id);
  requireSharer(resource);
  return resource;
}

/** Lists the shares of a resource that wait for a person, ordered by id. @throws DomainError 401, 403, 404. */
export async function listWaitingShares(
  context: Context,
  kind: ShareableKind,
  id: string,
  { limit, cursor }: PageQuery,
) {
  await requireSharable(context, kind, id);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await context.workspace
    .select()
    .from(invitations)
    .where(and(openOn(id, context.now), gt(invitations.id, after)))
    .orderBy(asc(invitations.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentWaitingShare);
}

/** Reads a share of a resource that waits for a person. @throws DomainError 401, 403, 404. */
export async function readWaitingShare(context: Context, kind: ShareableKind, id: string, shareId: string) {
  await requireSharable(context, kind, id);
  const [row] = await context.workspace
    .select()
    .from(invitations)
    .where(and(eq(invitations.id, shareId), openOn(id, context.now)));
  if (row === undefined) throw notFound();
  return presentWaitingShare(row);
}

/** Ends a share that waits for a person. @throws DomainError 401, 403, 404, 409. */
export async function deleteWaitingShare(
  context: Context,
  kind: ShareableKind,
  id: string,
  shareId: string,
): Promise<void> {
  const resource = await requireSharable(context, kind, id);
  const { tenantId: organizationId } = resource.place;
  const open = and(eq(invitations.id, shareId), openOn(id, context.now));
  await beginChange(context, organizationId)
    .guard(mayStillShare(resource), forbidden())
    .guard(isNotHeld(open), invitationHeld())
    .add(context.workspace.delete(invitations).where(open))
    .guardChanged(notFound())
    .add(
      auditStatement(context, {
        organizationId: resource.place.organizationId,
        action: "invitation.revoked",
        subjectType: kind.target,
        subjectId: id,
        details: { invitationId: shareId },
      }),
    )
    .commit();
}
