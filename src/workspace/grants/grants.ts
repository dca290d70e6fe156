import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  auditStatement,
  type CapabilityMap,
  capabilityMapSchema,
  countElsewhere,
  insertGrant,
  type Person,
  personColumns,
  pruneAfter,
  type ResourcePath,
  removeExpiredGrants,
  removeGrant,
  updateGrantRow,
  withPointer,
} from "../../access";
import { grants, memberships, people, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { idKey } from "../fields";
import {
  assertDelegable,
  mayStillShare,
  type Resource,
  requireResource,
  requireSharer,
  type ShareableKind,
} from "../grantable";
import { GRANT_RATE_LIMIT, MAX_GRANTS_PER_RESOURCE, MAX_GRANTS_PER_USER } from "../limits";
import { queueSharedIndex } from "../spatial";
import { invitations } from "../tables";
import { canWait, createWaitingShare, waitingOn } from "./waiting-shares";

export const grantSchema = z
  .object({
    id: idSchema,
    userId: idSchema,
    email: z.string(),
    displayName: z.string(),
    capabilities: capabilityMapSchema,
    grantedBy: idSchema.nullable(),
    expiresAtUtc: utcSchema.nullable(),
    revision: z.int(),
    createdAtUtc: utcSchema,
  })
  .openapi("Grant");

/** Columns of a grant, with the name and address of its user. */
const grantColumns = {
  id: grants.id,
  userId: grants.userId,
  email: people.email,
  displayName: people.displayName,
  capabilities: grants.capabilities,
  grantedBy: grants.grantedBy,
  expiresAt: grants.expiresAt,
  revision: grants.revision,
  createdAt: grants.createdAt,
};
type GrantRow = Pick<
  typeof grants.$inferSelect,
  "id" | "userId" | "capabilities" | "grantedBy" | "expiresAt" | "revision" | "createdAt"
> &
  Pick<typeof people.$inferSelect, "email" | "displayName">;

const presentGrant = ({ expiresAt, createdAt, ...row }: GrantRow): z.infer<typeof grantSchema> => ({
  ...row,
  expiresAtUtc: toUtcOrNull(expiresAt),
  createdAtUtc: toUtc(createdAt),
});

/** Selects grants of a resource, ordered by user id. */
const selectGrants = (workspace: WorkspaceDatabase, resourceId: string, where: SQL | undefined, limit: number) =>
  workspace
    .select(grantColumns)
    .from(grants)
    .innerJoin(people, eq(people.id, grants.userId))
    .where(and(eq(grants.targetId, resourceId), where))
    .orderBy(asc(grants.userId))
    .limit(limit);

/** Callers who may share the resource see all its grants; other callers see their own grant. */
const visibleIn = ({ isSharer, caller }: Resource): SQL | undefined =>
  isSharer ? undefined : eq(grants.userId, caller.userId);

/** Lists the grants of a resource, including expired ones. @throws DomainError 401, 404. */
export async function listGrants(context: Context, kind: ShareableKind, id: string, { limit, cursor }: PageQuery) {
  const resource = await requireResource(context, kind, id);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await selectGrants(context.workspace, id, and(gt(grants.userId, after), visibleIn(resource)), limit + 1);
  return toPage(rows, limit, (row) => [row.userId], presentGrant);
}

/** Reads a grant that the caller may see. @throws DomainError 404. */
async function requireGrant({ workspace }: Context, resource: Resource, grantId: string): Promise<GrantRow> {
  const [row] = await selectGrants(workspace, resource.id, and(eq(grants.id, grantId), visibleIn(resource)), 1);
  if (row === undefined) throw notFound();
  return row;
}

/** Reads a grant, for callers who may share the resource and for the grant's user. @throws DomainError 401, 404. */
export async function readGrant(context: Context, kind: ShareableKind, id: string, grantId: string) {
  return presentGrant(await requireGrant(context, await requireResource(context, kind, id), grantId));
}

export interface NewGrant {
  userId?: string | undefined;
  email?: string | undefined;
  capabilities: CapabilityMap;
  /** Milliseconds since the epoch. */
  expiresAtUtc?: number | undefined;
}

export const ruleViolated = (detail: string) => new DomainError("rule-violated", detail);

/**
 * Finds the person to share with. Null if the share can wait for the person with the address. A user id works only for members of the organization and for users with a grant in
 * the workspace, because the caller may already see their names. An address works when it is verified, or when it
 * belongs to a member. @throws DomainError rule-violated.
 */
export async function findGrantee(
  context: Context,
  { tenantId, organizationId }: Pick<ResourcePath, "tenantId" | "organizationId">,
  { userId, email }: Pick<NewGrant, "userId" | "email">,
): Promise<Person | null> {
  const person =
    userId === undefined
      ? await findByAddress(context, tenantId, email ?? "")
      : await findKnown(context, userId, or(isMemberOf(tenantId, people.id), hasGrantIn(tenantId, people.id)));
  if (person === undefined && email !== undefined && canWait(context, organizationId)) return null;
  if (person === undefined)
    throw ruleViolated(
      userId === undefined
        ? "No account has this address as its verified address. Invite the person to an organization first."
        : "No member and no user with a grant here has this id. For other people, send their e-mail address.",
    );
  return person;
}

const isMemberOf = (organizationId: string, userId: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM ${memberships} WHERE ${and(eq(memberships.organizationId, organizationId), eq(memberships.userId, userId))})`;

const hasGrantIn = (tenantId: string, userId: SQLWrapper): SQL =>
  sql`EXISTS (SELECT 1 FROM ${grants} WHERE ${and(eq(grants.tenantId, tenantId), eq(grants.userId, userId))})`;

/** Finds a person among the people that are copied to the workspace, if `condition` holds. */
async function findKnown({ workspace }: Context, userId: string, condition: SQL | undefined) {
  const [person] = await workspace
    .select()
    .from(people)
    .where(and(eq(people.id, userId), condition));
  return person;
}

/** Finds the person with an address: it is verified, or the person is a member. */
async function findByAddress(context: Context, tenantId: string, email: string): Promise<Person | undefined> {
  const [found] = await context.directory
    .select({ ...personColumns, verifiedAt: users.emailVerifiedAt })
    .from(users)
    .where(eq(users.email, email));
  if (found === undefined) return undefined;
  const { verifiedAt, ...person } = found;
  return verifiedAt === null ? findKnown(context, person.id, isMemberOf(tenantId, people.id)) : person;
}

/** Refuses a time in the past. @throws DomainError rule-violated. */
export function requireFuture({ now }: Context, expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= now) throw ruleViolated("Send a time in the future as expiresAtUtc.");
}

/**
 * Shares a cluster, location or document with one person. It replaces an expired grant of that person. A share with an address
 * without a verified account waits for that person. @returns the grant or the waiting share; the other is null
 * @throws DomainError 401, 403, 404, 409, 422, 429.
 */
export async function createGrant(context: Context, kind: ShareableKind, id: string, given: NewGrant) {
  const resource = await requireResource(context, kind, id);
  requireSharer(resource);
  const capabilities = assertDelegable(resource, given.capabilities);
  const expiresAt = given.expiresAtUtc ?? null;
  requireFuture(context, expiresAt);
  await consumeRateLimit(context, `grant:${resource.caller.userId}`, GRANT_RATE_LIMIT, "grants");
  const person = await findGrantee(context, resource.place, given);
  if (person === null) {
    const waiting = await createWaitingShare(context, resource, { email: given.email ?? "", capabilities, expiresAt });
    return { grant: null, waiting };
  }
  if (person.id === resource.caller.userId) throw ruleViolated("You have access to this already. Name another person.");
  const row: GrantRow = {
    userId: person.id,
    email: person.email,
    displayName: person.displayName,
    id: newIdIn(resource.place.tenantId),
    capabilities,
    grantedBy: resource.caller.userId,
    expiresAt,
    revision: 1,
    createdAt: context.now,
  };
  await commit(context, resource, person, row);
  return { grant: presentGrant(row), waiting: null };
}

export const alreadyShared = (): DomainError =>
  new DomainError("already-exists", "This is already shared with that person. Change the existing grant instead.");

/** The errors of a resource, and of a person, with the largest number of grants. */
export const manyOnResource = (): DomainError =>
  ruleViolated(
    `${MAX_GRANTS_PER_RESOURCE} grants on this resource exist, which is the maximum. Use memberships instead.`,
  );
export const manyOfPerson = (): DomainError =>
  ruleViolated(
    "This person has the maximum number of grants. Share the location or cluster that contains these resources instead.",
  );

async function commit(context: Context, resource: Resource, person: Person, row: GrantRow): Promise<void> {
  const { id, place } = resource;
  const { target } = resource.kind;
  const { tenantId, organizationId } = place;
  const { userId: _, email: __, displayName: ___, ...columns } = row;
  const theirs = and(eq(grants.targetId, id), eq(grants.userId, row.userId));
  const waits = waitingOn(id, person.email);
  const held = sql`(SELECT count(*) FROM ${grants} WHERE ${grants.userId} = ${row.userId})`;
  const elsewhere = await countElsewhere(context, row.userId, held);
  await withPointer(context, row.userId, tenantId, async (requirePointer) => {
    const change = requirePointer(beginChange(context, tenantId));
    queueSharedIndex(change, target, { id, tenantId });
    // Live connections of the person learn when it ends.
    if (row.expiresAt !== null) change.announce({ type: "access-changed", userIds: [row.userId] }, tenantId);
    await change
      .guard(mayStillShare(resource), forbidden())
      .add(removeExpiredGrants(context, [id], row.userId), context.workspace.delete(invitations).where(waits))
      .guard(sql`NOT EXISTS (SELECT 1 FROM ${grants} WHERE ${theirs})`, alreadyShared())
      .guard(
        sql`(SELECT count(*) FROM ${grants} WHERE ${grants.targetId} = ${id}) < ${MAX_GRANTS_PER_RESOURCE}`,
        manyOnResource(),
      )
      .guard(sql`${held} < ${MAX_GRANTS_PER_USER - elsewhere}`, manyOfPerson())
      .add(...insertGrant(context, person, { ...columns, target, targetId: id, tenantId, organizationId }))
      .announce({ type: "grant-given", grantId: row.id, actorUserId: row.grantedBy }, tenantId)
      .add(
        auditStatement(context, {
          organizationId,
          action: "grant.created",
          subjectType: target,
          subjectId: id,
          details: {
            grantId: row.id,
            userId: row.userId,
            capabilities: row.capabilities,
            expiresAtUtc: toUtcOrNull(row.expiresAt),
          },
        }),
      )
      .commit();
  });
}

interface GrantChange {
  capabilities?: CapabilityMap | undefined;
  /** Milliseconds since the epoch; null means no end. */
  expiresAtUtc?: number | null | undefined;
}

/** Changes the capabilities or the end of a grant. @throws DomainError 401, 403, 404, 409, 412, 422. */
export async function updateGrant(
  context: Context,
  kind: ShareableKind,
  id: string,
  grantId: string,
  given: GrantChange,
  precondition: Precondition,
) {
  const resource = await requireResource(context, kind, id);
  const row = await requireGrant(context, resource, grantId);
  requireSharer(resource);
  checkPrecondition(precondition, row.revision);
  const next = {
    capabilities: assertDelegable(resource, given.capabilities ?? row.capabilities),
    expiresAt: given.expiresAtUtc === undefined ? row.expiresAt : given.expiresAtUtc,
    revision: row.revision + 1,
  };
  requireFuture(context, next.expiresAt);
  await beginChange(context, resource.place.tenantId)
    .guard(mayStillShare(resource), forbidden())
    .add(updateGrantRow(context, row, next))
    .guardChanged(staleRevision())
    .announce({ type: "access-changed", userIds: [row.userId] }, resource.place.tenantId)
    .add(
      auditStatement(context, {
        organizationId: resource.place.organizationId,
        action: "grant.changed",
        subjectType: kind.target,
        subjectId: id,
        details: { grantId: row.id, userId: row.userId, from: auditDetails(row), to: auditDetails(next) },
      }),
    )
    .commit();
  return presentGrant({ ...row, ...next });
}

const auditDetails = ({ capabilities, expiresAt }: Pick<GrantRow, "capabilities" | "expiresAt">) => ({
  capabilities,
  expiresAtUtc: toUtcOrNull(expiresAt),
});

/**
 * Ends a grant. A caller who may share the resource may do so, and the grant's own user through a credential without
 * a ceiling. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteGrant(
  context: Context,
  kind: ShareableKind,
  id: string,
  grantId: string,
  precondition: Precondition,
): Promise<void> {
  const resource = await requireResource(context, kind, id);
  const row = await requireGrant(context, resource, grantId);
  const isOwn = row.userId === resource.caller.userId && resource.caller.facts.limits.ceiling === null;
  if (!isOwn) requireSharer(resource);
  checkPrecondition(precondition, row.revision);
  const { tenantId } = resource.place;
  const change = pruneAfter(context, beginChange(context, tenantId), row.userId, tenantId);
  if (!isOwn) change.guard(mayStillShare(resource), forbidden());
  await change
    .guard(sql`EXISTS (SELECT 1 FROM ${grants} WHERE ${grants.id} = ${row.id})`, notFound())
    .add(removeGrant(context, row))
    .guardChanged(staleRevision())
    .announce({ type: "access-changed", userIds: [row.userId] }, tenantId)
    .add(
      auditStatement(context, {
        organizationId: resource.place.organizationId,
        action: "grant.deleted",
        subjectType: kind.target,
        subjectId: id,
        details: { grantId: row.id, userId: row.userId, capabilities: row.capabilities },
      }),
    )
    .commit();
}
