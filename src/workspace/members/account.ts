import { z } from "@hono/zod-openapi";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import {
  auditStatement,
  confirmAccount,
  contextsOf,
  eraseAccount,
  forgetPerson,
  readPerson,
  requireUser,
} from "../../access";
import { grants, memberships, organizations, people } from "../../access/tables";
import { type Context, inDatabase } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { areUnmoved, notGone, workspaceMoves } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError, forbidden } from "../../platform/errors";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { log } from "../../platform/log";
import { announceEnd } from "../deletion";
import { queueRemoval } from "../removal/removal";
import { invitations } from "../tables";
import type { MadeLinks } from "./members";

export const accountDeletionSchema = z
  .strictObject({
    password: z.string().min(1).max(1_000).optional().openapi({
      description: "Your password. People who sign in through an issuer leave it out, and sign in again just before.",
    }),
    revokeShareLinks: z
      .boolean()
      .default(false)
      .openapi({ description: "Whether the share links that you made end too." }),
  })
  .openapi("AccountDeletion");

/** Selects the organizations of which this person is the only owner. Deleted ones do not count. */
const ownedAlone = (userId: string): SQL => sql`SELECT ${organizations.id} AS id, ${organizations.name} AS name
  FROM ${memberships} JOIN ${organizations} ON ${organizations.id} = ${memberships.organizationId}
  WHERE ${memberships.userId} = ${userId} AND ${memberships.role} = 'owner' AND ${organizations.deletedAt} IS NULL
    AND NOT EXISTS (SELECT 1 FROM memberships AS other WHERE other.organization_id = ${organizations.id}
      AND other.role = 'owner' AND other.user_id <> ${userId})`;

const becameLastOwner = (): DomainError =>
  new DomainError(
    "last-owner",
    "You became the only owner of an organization. Make another member an owner there, and delete the account again.",
  );

/** Organizations that a refusal names. */
const MAX_NAMED = 10;

async function lastOwnerOf({ workspace }: Context, userId: string): Promise<DomainError | null> {
  const rows = await workspace.all<{ name: string }>(sql`${ownedAlone(userId)} LIMIT ${MAX_NAMED}`);
  const names = rows.map(({ name }) => `“${name}”`).join(", ");
  return rows.length === 0
    ? null
    : new DomainError(
        "last-owner",
        `You are the only owner of ${names}. Make another member an owner there, or delete it first.`,
      );
}

/**
 * Deletes the account of the caller for good. Memberships, grants, invitations, the inbox, searches, sessions and tokens end, and
 * a job removes the personal workspace. What the person wrote for organizations stays, as of a deleted person.
 * @throws DomainError 401, 403, 409 last-owner, 422 (a wrong password), 429
 */
export async function deleteAccount(
  context: Context,
  given: z.infer<typeof accountDeletionSchema>,
  links: MadeLinks,
): Promise<void> {
  const caller = requireUser(context);
  if (caller.kind === "pat") throw forbidden("A token cannot delete the account. Sign in first.");
  await confirmAccount(context, caller, given.password);
  const person = await readPerson(context, caller.userId);
  if (person === undefined) return;
  const places = await contextsOf({ ...context, idempotency: null }, person.id);
  for (const there of places) {
    const refused = await lastOwnerOf(there, person.id);
    if (refused !== null) throw refused;
  }
  // With one database, the batch itself refuses.
  if (places.length > 1) for (const there of places) await requireOpen(there, person.id);
  for (const there of places) await forget(there, person.id, person.email, given.revokeShareLinks ? links : null);
  await erase(context, person.id);
}

/** What a person has in a database: memberships, guests of the personal workspace, and workspaces where the person is a guest. */
async function holdingsOf({ workspace }: Context, userId: string) {
  const [memberOf, guests, guestOf] = await workspace.batch([
    workspace
      .select({ id: memberships.organizationId, role: memberships.role })
      .from(memberships)
      .where(eq(memberships.userId, userId)),
    workspace.selectDistinct({ id: grants.userId }).from(grants).where(eq(grants.tenantId, userId)),
    workspace.selectDistinct({ id: grants.tenantId }).from(grants).where(eq(grants.userId, userId)),
  ]);
  return { memberOf, guests, guestOf };
}

/**
 * Refuses while a workspace of the person moves, before any database forgets them: a refusal after that would not stop the job.
 * @throws DomainError workspace-moving
 */
async function requireOpen(context: Context, userId: string): Promise<void> {
  const { memberOf, guestOf } = await holdingsOf(context, userId);
  // What has moved away is left here for some minutes.
  const concerned = await notGone(context, [userId, ...memberOf.map(({ id }) => id), ...guestOf.map(({ id }) => id)]);
  const [row] = await context.workspace.all<{ open: number }>(sql`SELECT ${areUnmoved(concerned)} AS open`);
  if (row?.open !== 1) throw workspaceMoves();
}

/** The workspace's part: one batch. From it on, nothing gives the person anything again. @param email null if it is not known any more */
async function forget(
  context: Context,
  userId: string,
  email: string | null,
  links: MadeLinks | null = null,
): Promise<void> {
  const { workspace } = context;
  const { memberOf, guests, guestOf } = await holdingsOf(context, userId);
  const ids = memberOf.map(({ id }) => id);
  // What has moved away is left here for some minutes. The row of the person takes it along.
  const concerned = await notGone(context, [userId, ...ids, ...guestOf.map(({ id }) => id)]);
  const isHome = concerned.includes(userId);
  const change = beginChange(context, concerned).guard(sql`NOT EXISTS (${ownedAlone(userId)})`, becameLastOwner());
  for (const { id, role } of memberOf.filter((one) => concerned.includes(one.id))) {
    const revoked = await links?.revoke(context, change, id, userId);
    const event = { organizationId: id, userId, action: "removed" as const, actorUserId: userId };
    change.announce({ type: "membership-changed", ...event }, id).add(
      auditStatement(context, {
        organizationId: id,
        action: "member.left",
        subjectType: "user",
        subjectId: userId,
        details: { role, reason: "account-deleted", ...revoked },
      }),
    );
  }
  const made = and(
    inSet(invitations.organizationId, ids),
    eq(invitations.invitedBy, userId),
    isNull(invitations.usedAt),
  );
  const received = email === null ? undefined : eq(invitations.email, email);
  change.add(workspace.delete(invitations).where(or(received, made)), ...forgetPerson(context, userId, email));
  announceEnd(
    change,
    guests.map(({ id }) => id),
    userId,
  );
  // The job goes to the other databases, and ends what this request does not.
  change.job("delete-account", { userId }, { dedupeKey: `delete-account:${userId}` });
  if (isHome) queueRemoval(change, userId);
  await change.commit();
}

/** The directory's part: the account with its credentials. Then the address is free. */
async function erase(context: Context, userId: string): Promise<void> {
  const change = await eraseAccount({ ...context, idempotency: null }, userId);
  await change?.commit();
}

/**
 * Ends the deletion of an account whose request stopped, and makes every workspace database forget the person: one where the
 * person has nothing any more has a copy of the name and address all the same.
 */
export const deleteAccountJob: JobHandler<"delete-account"> = {
  async run(context, { payload: { userId } }) {
    const person = await readPerson(context, userId);
    for (const name of context.databases.names) {
      const there = inDatabase(context, name);
      const [copy] = await there.workspace.select().from(people).where(eq(people.id, userId));
      if (copy !== undefined && copy.deletedAt !== null) continue;
      try {
        await forget(there, userId, person?.email ?? copy?.email ?? null);
      } catch (thrown) {
        if (!(thrown instanceof DomainError && thrown.code === "last-owner")) throw thrown;
        // The person became the only owner meanwhile: the account stays until they delete it again.
        log("warn", "account.not-deleted", { userId, database: name });
        return complete();
      }
    }
    await erase(context, userId);
    return complete();
  },
};
