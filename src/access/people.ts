import { eq, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { type AnyChange, beginChange, type Change } from "../platform/db/change";
import { FIRST_DATABASE } from "../platform/db/database";
import { insertResident, NO_WORKSPACE } from "../platform/db/residence";
import { complete, type JobHandler } from "../platform/jobs/handlers";
import { describeFailure, log } from "../platform/log";
import { people, users, workspaces } from "./tables";
import { contextsOf } from "./workspaces";

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
 * Copies a new account or a new name to the workspace side after `change`, which is the directory's: at once, and by a job if
 * the worker stops before.
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
