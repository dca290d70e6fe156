import { and, eq, exists, isNotNull, lte, or, sql } from "drizzle-orm";
import { auditStatement, type CapabilityMap, type GrantTarget, type Place } from "../../access";
import { grants, memberships, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, forbidden } from "../../platform/errors";
import { type RateLimit, takeShared } from "../../platform/http/rate";
import { newId } from "../../platform/ids";
import { HOUR, toUtcOrNull } from "../../platform/time";
import { queueSharedIndex } from "../indexing";
import { type GrantRow, presentGrant } from "./present";
import { requireGivable, requireSharer, requireThing, type Thing, thingStands } from "./thing";

/** Grants one thing may have. */
export const MOST_GRANTS_OF_THING = 500;
/** Grants one person may hold: all of them are read at each of their requests. */
export const MOST_GRANTS_OF_PERSON = 5_000;
/** Grants one person may make: each answer tells whether an address has an account. */
const GRANTS_BY_PERSON: RateLimit = { limit: 300, windowMs: HOUR };

export interface NewGrant {
  userId?: string | undefined;
  email?: string | undefined;
  capabilities: CapabilityMap;
  /** Milliseconds since the epoch. */
  expiresAtUtc?: number | undefined;
}

const broken = (detail: string) => new DomainError("rule-violated", detail);

/**
 * The person to share with. An id names only somebody whose name the caller may see already, as a member of the
 * organization or a holder of a grant in the workspace. An address counts once it is verified, or as a member's own:
 * the organization has brought them in by it. @throws DomainError rule-violated.
 */
async function findGrantee({ db }: Context, { tenantId }: Place, { userId, email }: NewGrant) {
  const isMember = exists(
    db
      .select({ one: sql`1` })
      .from(memberships)
      .where(and(eq(memberships.organizationId, tenantId), eq(memberships.userId, users.id))),
  );
  const isSharedWith = exists(
    db
      .select({ one: sql`1` })
      .from(grants)
      .where(and(eq(grants.tenantId, tenantId), eq(grants.userId, users.id))),
  );
  const [person] = await db
    .select({ userId: users.id, email: users.email, displayName: users.displayName })
    .from(users)
    .where(
      userId === undefined
        ? and(eq(users.email, email ?? ""), or(isNotNull(users.emailVerifiedAt), isMember))
        : and(eq(users.id, userId), or(isMember, isSharedWith)),
    );
  if (person === undefined)
    throw broken(
      userId === undefined
        ? "Nobody has an account with this verified address. Invite them to an organization first."
        : "Nobody here has this id. Name a person who is not a member by e-mail address.",
    );
  return person;
}

/** @throws DomainError rule-violated for a time that has passed. */
export function requireFuture({ now }: Context, expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= now) throw broken("Send a time in the future as expiresAtUtc.");
}

/**
 * Shares a cluster, location or document with one person. An expired grant of theirs is replaced.
 * @throws DomainError 401, 403, 404, 409, 422, 429.
 */
export async function createGrant(context: Context, target: GrantTarget, id: string, given: NewGrant) {
  const thing = await requireThing(context, target, id);
  requireSharer(thing);
  const capabilities = requireGivable(thing, given.capabilities);
  const expiresAt = given.expiresAtUtc ?? null;
  requireFuture(context, expiresAt);
  await takeShared(context, `grant:${thing.caller.userId}`, GRANTS_BY_PERSON);
  const person = await findGrantee(context, thing.place, given);
  if (person.userId === thing.caller.userId) throw broken("You hold this already. Name somebody else.");
  const row: GrantRow = {
    ...person,
    id: newId(),
    capabilities,
    grantedBy: thing.caller.userId,
    expiresAt,
    revision: 1,
    createdAt: context.now,
  };
  await commit(context, thing, row);
  return presentGrant(row);
}

async function commit(context: Context, thing: Thing, row: GrantRow): Promise<void> {
  const { db, now } = context;
  const { target, id, place } = thing;
  const { tenantId, organizationId } = place;
  const { email: _, displayName: __, ...columns } = row;
  const theirs = and(eq(grants.targetId, id), eq(grants.userId, row.userId));
  const change = beginChange(context);
  queueSharedIndex(change, target, { id, tenantId });
  await change
    .guard(thingStands(thing), forbidden())
    .add(db.delete(grants).where(and(theirs, lte(grants.expiresAt, now))))
    .guard(
      sql`NOT EXISTS (SELECT 1 FROM ${grants} WHERE ${theirs})`,
      new DomainError("already-exists", "It is shared with them already. Change that grant instead."),
    )
    .guard(
      sql`(SELECT count(*) FROM ${grants} WHERE ${grants.targetId} = ${id}) < ${MOST_GRANTS_OF_THING}`,
      broken(`${MOST_GRANTS_OF_THING} people share this, which is the most. Use memberships instead.`),
    )
    .guard(
      sql`(SELECT count(*) FROM ${grants} WHERE ${grants.userId} = ${row.userId}) < ${MOST_GRANTS_OF_PERSON}`,
      broken("This person holds as many grants as one may. Share what contains these things instead."),
    )
    .add(db.insert(grants).values({ ...columns, target, targetId: id, tenantId, organizationId }))
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
}
