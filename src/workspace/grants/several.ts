import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import {
  auditStatement,
  type CapabilityMap,
  countElsewhere,
  insertGrants,
  type Person,
  pruneAfter,
  type ResourcePath,
  removeExpiredGrants,
  removeGrantsAsRead,
  requireUser,
  withPointer,
} from "../../access";
import { grants } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { staleRevision } from "../../platform/http/revision";
import { newIdIn } from "../../platform/ids";
import { toUtcOrNull } from "../../platform/time";
import {
  assertDelegable,
  mayStillShare,
  type Resource,
  requireSharer,
  resourceAt,
  type SeveralResources,
} from "../grantable";
import { GRANT_RATE_LIMIT, MAX_GRANTS_PER_RESOURCE, MAX_GRANTS_PER_USER } from "../limits";
import { queueSharedIndex } from "../spatial";
import {
  alreadyShared,
  findGrantee,
  manyOfPerson,
  manyOnResource,
  type NewGrant,
  requireFuture,
  ruleViolated,
} from "./grants";

/** What has become of one resource: its grant, or the reason why it stays as it is. */
export type GrantOutcome = { id: string; grantId: string } | { id: string; refusal: DomainError };

/** A resource of an act, or the reason why the act leaves it out. */
type Candidate<T> = { id: string; allowed: T } | { id: string; refusal: DomainError };

/** Decides for each of some ids; a refusal of one is no refusal of the others. */
function decide<I extends { id: string }, T>(each: readonly I[], allow: (one: I) => T): Candidate<T>[] {
  return each.map((one) => {
    const { id } = one;
    try {
      return { id, allowed: allow(one) };
    } catch (thrown) {
      if (thrown instanceof DomainError) return { id, refusal: thrown };
      throw thrown;
    }
  });
}

const allowedOf = <T>(candidates: readonly Candidate<T>[]): T[] =>
  candidates.flatMap((one) => ("allowed" in one ? [one.allowed] : []));

const outcomesOf = (candidates: readonly Candidate<{ grantId: string }>[]): GrantOutcome[] =>
  candidates.map((one) => ("allowed" in one ? { id: one.id, grantId: one.allowed.grantId } : one));

/** The paths of the resources that the caller sees, by id. */
export type VisiblePaths = ReadonlyMap<string, ResourcePath>;

const seenIn = (paths: VisiblePaths, id: string): ResourcePath => {
  const path = paths.get(id);
  if (path === undefined) throw notFound();
  return path;
};

/** The resources of `ids` that the person has already, and those that have no room for another grant. */
async function readTaken({ workspace, now }: Context, ids: readonly string[], userId: string) {
  const lives = or(isNull(grants.expiresAt), gt(grants.expiresAt, now));
  const [held, full] = await Promise.all([
    workspace
      .select({ id: grants.targetId })
      .from(grants)
      .where(and(inSet(grants.targetId, ids), eq(grants.userId, userId), lives)),
    workspace
      .select({ id: grants.targetId })
      .from(grants)
      .where(inSet(grants.targetId, ids))
      .groupBy(grants.targetId)
      .having(sql`count(*) >= ${MAX_GRANTS_PER_RESOURCE}`),
  ]);
  const idsOf = (rows: readonly { id: string }[]) => new Set(rows.map(({ id }) => id));
  return { held: idsOf(held), full: idsOf(full) };
}

/**
 * Shares resources of one workspace with one person, who is told once. All that are allowed are shared together. It
 * counts as one grant of the rate.
 * @param ids each once
 * @throws DomainError 401; 422 for the person or the end; 409 or 422 if other grants were made in the meantime, then nothing
 *   has changed; 429.
 */
export async function shareSeveral(
  context: Context,
  { kind, exist }: SeveralResources,
  paths: VisiblePaths,
  ids: readonly string[],
  given: NewGrant,
): Promise<GrantOutcome[]> {
  const caller = requireUser(context);
  const named = ids.map((id) => ({ id }));
  const mine = decide(named, ({ id }) => {
    const resource = resourceAt(caller, kind, id, seenIn(paths, id));
    requireSharer(resource);
    return { resource, capabilities: assertDelegable(resource, given.capabilities) };
  });
  const [one] = allowedOf(mine);
  if (one === undefined) return mine.flatMap((each) => ("refusal" in each ? [each] : []));
  const expiresAt = given.expiresAtUtc ?? null;
  requireFuture(context, expiresAt);
  await consumeRateLimit(context, `grant:${caller.userId}`, GRANT_RATE_LIMIT, "grants");
  const { tenantId } = one.resource.place;
  const person = await findGrantee(context, one.resource.place, given);
  if (person === null)
    throw ruleViolated(
      "No account has this address as its verified address. Share one document: that share waits for the person.",
    );
  if (person.id === caller.userId) throw ruleViolated("You have access to this already. Name another person.");
  const { held, full } = await readTaken(context, ids, person.id);
  const candidates = decide(mine, (candidate) => {
    if (!("allowed" in candidate)) throw candidate.refusal;
    if (held.has(candidate.id)) throw alreadyShared();
    if (full.has(candidate.id)) throw manyOnResource();
    return { ...candidate.allowed, grantId: newIdIn(tenantId) };
  });
  const allowed = allowedOf(candidates);
  if (allowed.length > 0)
    await commitShares(context, person, {
      rows: allowed.map(({ grantId, resource }) => ({ id: grantId, targetId: resource.id })),
      resource: one.resource,
      exist: exist(allowed.map(({ resource }) => resource.id)),
      capabilities: one.capabilities,
      expiresAt,
    });
  return outcomesOf(candidates);
}

interface Shares {
  rows: readonly { id: string; targetId: string }[];
  /** One of the resources: all are of its workspace. */
  resource: Resource;
  exist: ReturnType<SeveralResources["exist"]>;
  capabilities: CapabilityMap;
  /** Milliseconds since the epoch; null for no end. */
  expiresAt: number | null;
}

async function commitShares(context: Context, person: Person, shares: Shares): Promise<void> {
  const { rows, resource, exist, capabilities, expiresAt } = shares;
  const { place, caller } = resource;
  const { target } = resource.kind;
  const { tenantId, organizationId } = place;
  const ids = rows.map(({ targetId }) => targetId);
  const onThem = inSet(grants.targetId, ids);
  const heldBy = sql`(SELECT count(*) FROM ${grants} WHERE ${grants.userId} = ${person.id})`;
  const elsewhere = await countElsewhere(context, person.id, heldBy);
  await withPointer(context, person.id, tenantId, async (requirePointer) => {
    const change = requirePointer(beginChange(context, tenantId));
    if (expiresAt !== null) change.announce({ type: "access-changed", userIds: [person.id] }, tenantId);
    change
      .guard(mayStillShare(resource, exist), forbidden())
      .add(removeExpiredGrants(context, ids, person.id))
      .guard(
        sql`NOT EXISTS (SELECT 1 FROM ${grants} WHERE ${and(onThem, eq(grants.userId, person.id))})`,
        alreadyShared(),
      )
      .guard(
        sql`NOT EXISTS (SELECT 1 FROM ${grants} WHERE ${onThem} GROUP BY target_id HAVING count(*) >= ${MAX_GRANTS_PER_RESOURCE})`,
        manyOnResource(),
      )
      .guard(sql`${heldBy} <= ${MAX_GRANTS_PER_USER - elsewhere - rows.length}`, manyOfPerson())
      .add(
        ...insertGrants(
          context,
          person,
          {
            target,
            tenantId,
            organizationId,
            capabilities,
            revision: 1,
            grantedBy: caller.userId,
            createdAt: context.now,
            expiresAt,
          },
          rows,
        ),
      )
      .announce({ type: "grants-given", grantIds: rows.map(({ id }) => id), actorUserId: caller.userId }, tenantId);
    for (const { id: grantId, targetId } of rows) {
      queueSharedIndex(change, target, { id: targetId, tenantId });
      change.add(
        auditStatement(context, {
          organizationId,
          action: "grant.created",
          subjectType: target,
          subjectId: targetId,
          details: { grantId, userId: person.id, capabilities, expiresAtUtc: toUtcOrNull(expiresAt) },
        }),
      );
    }
    await change.commit();
  });
}

/** A grant to end, on the resource `id`. */
export interface GrantToEnd {
  id: string;
  grantId: string;
  baseRevision?: number | undefined;
}

/**
 * Ends grants on resources of one workspace. All that are allowed end together.
 * @throws DomainError 401; 403 or 409 if the access or the grants were changed in the meantime, then nothing has changed.
 */
export async function endSeveral(
  context: Context,
  { kind, exist }: SeveralResources,
  paths: VisiblePaths,
  given: readonly GrantToEnd[],
): Promise<GrantOutcome[]> {
  const caller = requireUser(context);
  const found = await context.workspace
    .select()
    .from(grants)
    .where(
      inSet(
        grants.id,
        given.map(({ grantId }) => grantId),
      ),
    );
  const byId = new Map(found.map((row) => [row.id, row]));
  const candidates = decide(given, ({ id, grantId, baseRevision }) => {
    const resource = resourceAt(caller, kind, id, seenIn(paths, id));
    const row = byId.get(grantId);
    const isTheirs = row?.userId === caller.userId;
    if (row === undefined || row.targetId !== id || !(isTheirs || resource.isSharer)) throw notFound();
    const isOwn = isTheirs && caller.facts.limits.ceiling === null;
    if (!isOwn) requireSharer(resource);
    if (baseRevision !== undefined && baseRevision !== row.revision) throw staleRevision(row.revision);
    return { grantId, row, resource, isOwn };
  });
  const allowed = allowedOf(candidates);
  const [one] = allowed;
  if (one === undefined) return outcomesOf(candidates);
  const { tenantId, organizationId } = one.resource.place;
  const userIds = [...new Set(allowed.map(({ row }) => row.userId))];
  const change = beginChange(context, tenantId);
  for (const userId of userIds) pruneAfter(context, change, userId, tenantId);
  const shared = allowed.filter(({ isOwn }) => !isOwn).map(({ resource }) => resource);
  const [sharer] = shared;
  if (sharer !== undefined) change.guard(mayStillShare(sharer, exist(shared.map(({ id }) => id))), forbidden());
  change
    .add(removeGrantsAsRead(allowed.map(({ row }) => row)))
    .guard(sql`changes() = ${allowed.length}`, staleRevision())
    .announce({ type: "access-changed", userIds }, tenantId);
  for (const { row } of allowed)
    change.add(
      auditStatement(context, {
        organizationId,
        action: "grant.deleted",
        subjectType: kind.target,
        subjectId: row.targetId,
        details: { grantId: row.id, userId: row.userId, capabilities: row.capabilities },
      }),
    );
  await change.commit();
  return outcomesOf(candidates);
}
