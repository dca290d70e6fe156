import { eq, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { type AnyChange, beginChange } from "../platform/db/change";
import { complete, type JobHandler } from "../platform/jobs/handlers";
import { describeFailure, log } from "../platform/log";
import { people, users } from "./tables";

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
    copy(context, userId).catch((thrown) => log("warn", "person.not-copied", describeFailure(thrown))),
  );
}

async function copy(context: Context, userId: string): Promise<void> {
  const person = await readPerson(context, userId);
  if (person !== undefined)
    await beginChange({ ...context, idempotency: null })
      .add(insertPerson(context, person))
      .commit();
}

/** Copies a person to the workspace side. */
export const copyPerson: JobHandler<"copy-person"> = {
  async run(context, { payload: { userId } }) {
    const person = await readPerson(context, userId);
    return complete(person && beginChange(context).add(insertPerson(context, person)));
  },
};
