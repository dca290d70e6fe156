import { and, eq, isNull, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { sha256Hex } from "../platform/crypto/bytes";
import { type AnyChange, beginChange, beginDirectoryChange, type Change } from "../platform/db/change";
import { FIRST_DATABASE, type Statement } from "../platform/db/database";
import { insertResident, NO_WORKSPACE } from "../platform/db/residence";
import { complete, type JobHandler } from "../platform/jobs/handlers";
import { describeFailure, log } from "../platform/log";
import { auditEntries, deletedIdentities, grants, people, users, workspaces } from "./tables";
import { contextsOf, insertReceipt } from "./workspaces";

/** The copy of a person in a workspace database. */
export type Person = Pick<typeof users.$inferSelect, "id" | "email" | "displayName" | "namedAt">;

/** The columns of a person in the directory. */
export const personColumns = {
  id: users.id,
  email: users.email,
  displayName: users.displayName,
  namedAt: users.namedAt,
};

/** Reads a person from the directory. Undefined if there is no such account. */
export async function readPerson({ directory }: Pick<Context, "directory">, id: string): Promise<Person | undefined> {
  const [person] = await directory.select(personColumns).from(users).where(eq(users.id, id));
  return person;
}

/** The statement that copies a person to the workspace side, before the rows that refer to them. A newer copy stays. */
export const insertPerson = ({ workspace }: Pick<Context, "workspace">, { id, email, displayName, namedAt }: Person) =>
  workspace
    .insert(people)
    .values({ id, email, displayName, namedAt })
    .onConflictDoUpdate({
      target: people.id,
      set: { displayName: sql`excluded.display_name`, namedAt: sql`excluded.named_at` },
      setWhere: sql`excluded.named_at > ${people.namedAt}`,
    });

/**
 * Copies a new account or a new name to the workspace side after `change`, which is a change of the directory: at once, or by a job
 * if the worker stops before.
 */
export function copyAfter(context: Context, change: AnyChange, userId: string): void {
  change.job("copy-person", { userId });
  change.afterCommit(() =>
    copyNow(context, userId).catch((thrown) => log("warn", "person.not-copied", describeFailure(thrown))),
  );
}

async function copyNow(context: Context, userId: string): Promise<void> {
  for (const change of await copiesOf({ ...context, idempotency: null }, userId)) await change.commit();
}

/**
 * The changes that copy a person to each workspace database in which they may have something. The one in the database of
 * their personal workspace opens it, if the directory has assigned it to that database. None without such an account.
 */
async function copiesOf(context: Context, userId: string): Promise<Change[]> {
  const [found] = await context.directory
    .select({ ...personColumns, database: workspaces.database })
    .from(users)
    .leftJoin(workspaces, eq(workspaces.id, users.id))
    .where(eq(users.id, userId));
  if (found === undefined) return [];
  const home = found.database ?? FIRST_DATABASE;
  return (await contextsOf(context, userId)).map((there) => {
    const change = beginChange(there, NO_WORKSPACE).add(insertPerson(there, found));
    return there.database === home ? change.add(insertResident(there.workspace, userId)) : change;
  });
}

/** Copies a person to the workspace side, and opens the personal workspace of a new account. */
export const copyPerson: JobHandler<"copy-person"> = {
  async run(context, { payload: { userId } }) {
    const copies = await copiesOf(context, userId);
    const own = copies.find(({ place }) => place === context.database);
    for (const change of copies) if (change !== own) await change.commit();
    return complete(own);
  },
};

/** The name that workspaces show of a person whose account was deleted. */
const DELETED_PERSON = "Deleted person";

/**
 * The statements that make a workspace database forget a person: memberships, grants, the inbox and searches go with the row of
 * the person. A row without name and address takes its place, so that what the person wrote has an author.
 * @param email the address that the audit trail of invitations has; null if it is not known any more
 */
export const forgetPerson = (
  { workspace, now }: Pick<Context, "workspace" | "now">,
  id: string,
  email: string | null,
): Statement[] => [
  // The later time, by a millisecond, shows the sums of a backup that the entry has changed.
  ...(email === null
    ? []
    : [
        sql`UPDATE ${auditEntries} SET details = json_remove(details, '$.email'), created_at = created_at + 1
          WHERE action = 'invitation.created' AND json_extract(details, '$.email') = ${email}`,
      ]),
  workspace.delete(grants).where(eq(grants.tenantId, id)),
  workspace.delete(people).where(and(eq(people.id, id), isNull(people.deletedAt))),
  workspace
    .insert(people)
    .values({ id, email: "", displayName: DELETED_PERSON, namedAt: 0, deletedAt: now })
    .onConflictDoNothing(),
];

/** The hash of an identity of an issuer, which stays when its account is deleted. */
export const identityHash = (issuer: string, subject: string): Promise<string> => sha256Hex(`${issuer}\n${subject}`);

/**
 * The change that deletes an account with its credentials. A token that its issuer made before opens no new account, and the
 * receipt keeps a later first user from becoming the administrator. Null without such an account.
 */
export async function eraseAccount(context: Context, userId: string): Promise<Change<"directory"> | null> {
  const { directory, now } = context;
  const [user] = await directory.select().from(users).where(eq(users.id, userId));
  if (user === undefined) return null;
  const receipt = { workspaceId: userId, name: null, deletedAt: now, startedAt: now, contents: [] };
  const change = beginDirectoryChange(context)
    .add(...insertReceipt(context, receipt, []), directory.delete(users).where(eq(users.id, userId)))
    // What the person did with the account. The trail of an organization is in its database, and keeps the id.
    .add(
      directory
        .delete(auditEntries)
        .where(and(isNull(auditEntries.organizationId), eq(auditEntries.actorUserId, userId))),
    )
    .announce({ type: "access-changed", userIds: [userId] });
  if (user.externalIssuer !== null && user.externalSubject !== null)
    change.add(
      directory
        .insert(deletedIdentities)
        .values({ hash: await identityHash(user.externalIssuer, user.externalSubject), deletedAt: now })
        .onConflictDoUpdate({ target: deletedIdentities.hash, set: { deletedAt: now } }),
    );
  return change;
}
