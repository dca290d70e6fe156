import { and, eq, sql } from "drizzle-orm";
import {
  auditStatement,
  contextAt,
  type MembershipFact,
  noteClaims,
  type Person,
  type Role,
  readPerson,
  type UserCaller,
  withPointer,
} from "../../access";
import { memberships } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { log } from "../../platform/log";
import { isOutage } from "../../platform/outages";
import { SettingsError } from "../../platform/settings";
import { MAX_CLAIMED_CHANGES, SKIPPED_CLAIM_MS } from "../limits";
import { organizationExists } from "../spatial";
import { addChanged, addEnd, addGiven, alreadyMember, isNoMember } from "./standing";

/*
 * The claims of an issuer bring memberships, as the setting `memberships` of the issuer says. Whenever a token is
 * accepted, the roles that it brings are compared with the memberships that were read anyway. Only a difference costs more.
 *
 * A membership that a person gave or changed is never touched, and nobody becomes an owner.
 */

/** A difference: the role that the claims bring (null: none), where the person has another one, or none. */
interface Difference {
  organizationId: string;
  role: Role | null;
  /** Whether the person has no membership yet. */
  isNew: boolean;
}

/** The differences between the claims and the memberships. Ends come first. */
export function differencesOf(
  issuer: string,
  roles: ReadonlyMap<string, Role>,
  held: readonly MembershipFact[],
): Difference[] {
  const byId = new Map(held.map((membership) => [membership.organizationId, membership]));
  const ended = held
    .filter(({ origin, organizationId }) => origin === issuer && !roles.has(organizationId))
    .map(({ organizationId }) => ({ organizationId, role: null, isNew: false }));
  const given = [...roles].flatMap(([organizationId, role]) => {
    const own = byId.get(organizationId);
    const isSame = own !== undefined && (own.origin !== issuer || own.role === role);
    return isSame ? [] : [{ organizationId, role, isNew: own === undefined }];
  });
  return [...ended, ...given];
}

/** Memberships that could not be given, by person and organization, and the time at which they are tried again. */
const skipped = new Map<string, number>();
/** Memberships that an isolate remembers, about 100 bytes each. */
const MAX_SKIPPED = 10_000;

/** The refusals of a change that another request has made first. */
const LOST_RACE: ReadonlySet<string> = new Set(["already-exists", "stale-revision"]);

/**
 * Notes that a difference stays for now. A membership that was not given is tried again after a time. One that should end or change
 * is tried again at the next request, because it may give too much. @throws what is no refusal and no outage of a database
 */
function skip(userId: string, { organizationId, role, isNew }: Difference, now: number, thrown: unknown): void {
  const isAway = isOutage(thrown) || thrown instanceof SettingsError;
  if (!(thrown instanceof DomainError) && !isAway) throw thrown;
  const code = thrown instanceof DomainError ? thrown.code : "unavailable";
  if (LOST_RACE.has(code)) return;
  log("warn", "claim.not-followed", { userId, organizationId, role, code });
  if (!isNew) return;
  if (skipped.size >= MAX_SKIPPED) skipped.clear();
  skipped.set(`${userId} ${organizationId}`, now + SKIPPED_CLAIM_MS);
}

/** Makes one membership what the claims say. @throws DomainError if the organization is unknown, deleted or moving, or on a race */
async function follow(context: Context, issuer: string, person: Person, difference: Difference): Promise<void> {
  const { organizationId, role } = difference;
  const { workspace, now } = context;
  const [row] = await workspace
    .select()
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, person.id)));
  if (row === undefined) {
    if (role === null) return;
    // Without this look, a pointer would be written to an organization that does not exist.
    const [found] = await workspace.all<{ isThere: number }>(
      sql`SELECT ${organizationExists(organizationId)} AS "isThere"`,
    );
    if (found?.isThere !== 1) throw notFound();
    const given = { organizationId, role, overrides: {}, origin: issuer, createdAt: now };
    await withPointer(context, person.id, organizationId, (requirePointer) => {
      const change = requirePointer(beginChange(context, organizationId))
        .guard(organizationExists(organizationId), notFound())
        .guard(isNoMember(organizationId, person.id), alreadyMember());
      return addGiven(context, change, person, given, null).commit();
    });
    return;
  }
  if (row.origin !== issuer) return;
  const change = beginChange(context, organizationId);
  if (role !== null) {
    await addChanged(context, change, row, { ...row, role }, null).commit();
    return;
  }
  await addEnd(context, change, row, null)
    .add(
      auditStatement(context, {
        organizationId,
        action: "member.removed",
        subjectType: "user",
        subjectId: person.id,
        details: { role: row.role, origin: issuer },
      }),
    )
    .commit();
}

/**
 * Gives, changes and ends the memberships of the caller that the claims of their token bring, some in one request.
 * One that cannot be followed now waits for a later request.
 * @returns whether something was changed
 */
export async function followClaims(given: Context, caller: UserCaller): Promise<boolean> {
  if (caller.kind !== "external") return false;
  const { userId, issuer, claimed, facts } = caller;
  if (claimed === undefined || claimed.issuedAt === null || facts.missing !== undefined) return false;
  const { roles, issuedAt, followedAt } = claimed;
  if (issuedAt < (followedAt ?? 0)) return false;
  const held = [...facts.memberships, ...(facts.barred ?? [])];
  const differences = differencesOf(issuer, roles, held)
    .filter(({ organizationId }) => (skipped.get(`${userId} ${organizationId}`) ?? 0) <= given.now)
    .slice(0, MAX_CLAIMED_CHANGES);
  if (differences.length === 0) return false;
  const context = { ...given, caller, idempotency: null };
  if (!(await noteClaims(context, userId, issuedAt))) return false;
  const person = await readPerson(context, userId);
  if (person === undefined) return false;
  for (const difference of differences)
    try {
      await follow(await contextAt(context, difference.organizationId), issuer, person, difference);
    } catch (thrown) {
      skip(userId, difference, context.now, thrown);
    }
  return true;
}
