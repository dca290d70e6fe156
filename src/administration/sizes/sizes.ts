import { and, asc, eq, gt, gte, isNotNull, lt, max, sql } from "drizzle-orm";
import { z } from "zod";
import { placesOfPeople } from "../../access";
import { users } from "../../access/tables";
import { type Context, inDatabase, ownDatabase } from "../../platform/context";
import { beginChange, beginDirectoryChange } from "../../platform/db/change";
import { MAX_DATABASE_BYTES, sizeOf } from "../../platform/db/database";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { newId } from "../../platform/ids";
import {
  complete,
  continueLater,
  type JobHandler,
  type Outcome,
  type RecurringHandler,
} from "../../platform/jobs/handlers";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import { adminPath } from "../../platform/paths";
import { DAY } from "../../platform/time";
import { inEachDatabase } from "../databases";
import { levelMail } from "../messages";
import { databaseSizes } from "../tables";

/** The levels of which administrators are told, each once: percent of the largest size. */
const LEVELS = [60, 80] as const;
type Level = (typeof LEVELS)[number];
/** Days between two measurements: an idle service writes a few rows a week. */
const PERIOD_DAYS = 7;
/** Days of which the sizes are kept. */
const KEPT_DAYS = 90;
/** Days by which the growth is measured. */
const GROWTH_DAYS = 30;
/** Maximum number of administrators who are told. */
const MAX_TOLD = 500;

const dayOf = (now: number): number => Math.floor(now / DAY);

/** The highest level that a size has reached. */
const levelOf = (bytes: number): Level | undefined =>
  LEVELS.findLast((percent) => bytes * 100 >= percent * MAX_DATABASE_BYTES);

/** Writes the size of one database today. The first time that it has a level, a job tells the administrators. */
async function note(context: Context, database: string, bytes: number): Promise<void> {
  const { directory, now } = context;
  const [before] = await directory
    .select({ told: max(databaseSizes.told) })
    .from(databaseSizes)
    .where(and(eq(databaseSizes.database, database), sql`${databaseSizes.told} > 0`));
  const level = levelOf(bytes);
  const isNew = level !== undefined && level > (before?.told ?? 0);
  const day = dayOf(now);
  const change = beginDirectoryChange(context).add(
    directory
      .insert(databaseSizes)
      .values({ database, day, bytes, told: isNew ? level : 0 })
      .onConflictDoUpdate({
        target: [databaseSizes.day, databaseSizes.database],
        set: { bytes, ...(isNew && { told: level }) },
      }),
    directory.delete(databaseSizes).where(and(lt(databaseSizes.day, day - KEPT_DAYS), eq(databaseSizes.told, 0))),
  );
  if (isNew)
    change.job("tell-database-level", { database, percent: level }, { dedupeKey: `level:${database}:${level}` });
  await change.commit();
}

/** Measures each database once in a period. */
export const watchDatabases: RecurringHandler<"watch-databases"> = {
  side: "directory",
  hasWork: ({ now }) =>
    sql`NOT EXISTS (SELECT 1 FROM ${databaseSizes} WHERE ${databaseSizes.day} > ${dayOf(now) - PERIOD_DAYS})`,
  async run(context) {
    const sizes = await inEachDatabase(context, async (there, name) => ({
      name,
      bytes: await sizeOf(ownDatabase(there)),
    }));
    for (const { name, bytes } of sizes) await note(context, name, bytes);
    return complete();
  },
};

/** Who is told in their inboxes, by database with the id of the event there; then the last one who has the mail. */
const stateSchema = z
  .discriminatedUnion("step", [
    z.strictObject({
      step: z.literal("inbox"),
      places: z.array(z.strictObject({ name: z.string(), eventId: z.string(), userIds: z.array(z.string()) })),
    }),
    z.strictObject({ step: z.literal("mail"), after: z.string() }),
  ])
  .nullable();
const MAILS = { step: "mail" as const, after: "" };

/** Condition in the words of the index. */
const isAdmin = sql`${users.isAdmin} = 1`;

/** The databases in which the administrators have their inboxes: of each person the one of the personal workspace, or another one. */
async function placesOfAdministrators(context: Context) {
  const admins = await context.directory
    .select({ id: users.id })
    .from(users)
    .where(and(isAdmin, gt(users.id, "")))
    .orderBy(asc(users.id))
    .limit(MAX_TOLD);
  const places = await placesOfPeople(
    context,
    admins.map(({ id }) => id),
  );
  const told = new Set<string>();
  return [...places].map(([name, found]) => {
    const userIds = found.filter((id) => !told.has(id));
    for (const id of userIds) told.add(id);
    return { name, eventId: newId(), userIds };
  });
}

/** Mails the next administrator with a verified address. */
async function mailNext(
  context: Context,
  about: { database: string; percent: Level },
  after: string,
): Promise<Outcome> {
  const { mailer, directory, settings } = context;
  if (mailer === null) return complete();
  const [admin] = await directory
    .select({ id: users.id, email: users.email, language: users.language })
    .from(users)
    .where(and(isAdmin, gt(users.id, after), isNotNull(users.emailVerifiedAt)))
    .orderBy(asc(users.id))
    .limit(1);
  if (admin === undefined) return complete();
  const link = settings.PUBLIC_BASE_URL + adminPath("databases");
  const mail = levelMail(admin.language ?? DEFAULT_LANGUAGE, about.database, about.percent, link);
  if (!(await mailer({ to: admin.email, ...mail }))) throw new Error("the mail service did not take the mail");
  return continueLater({ ...MAILS, after: admin.id });
}

/**
 * Tells the administrators that a database has a level: in their inboxes, one database in a slice, then one mail in a slice. The state
 * has the ids of the events, so a slice that runs twice tells nobody twice.
 */
export const tellDatabaseLevel: JobHandler<"tell-database-level"> = {
  async run(context, job) {
    const { database, percent } = job.payload;
    const state = stateSchema.parse(job.state);
    if (state === null) return continueLater({ step: "inbox", places: await placesOfAdministrators(context) });
    if (state.step === "mail") return mailNext(context, job.payload, state.after);
    const [next, ...places] = state.places;
    if (next === undefined) return continueLater(MAILS);
    const { name, eventId, userIds } = next;
    const change = beginChange(inDatabase(context, name), NO_WORKSPACE);
    change.job("announce", { event: { type: "database-level", database, percent, userIds } }, { id: eventId });
    if (userIds.length > 0) await change.commit();
    return continueLater({ step: "inbox", places });
  },
};

/** By how many bytes a day each database has grown in the last days; a database of fewer than two days is missing. */
export async function readGrowth({ directory, now }: Pick<Context, "directory" | "now">): Promise<Map<string, number>> {
  const rows = await directory
    .select()
    .from(databaseSizes)
    .where(gte(databaseSizes.day, dayOf(now) - GROWTH_DAYS))
    .orderBy(asc(databaseSizes.day));
  const growth = new Map<string, number>();
  for (const [name, samples] of Map.groupBy(rows, ({ database }) => database)) {
    const [first, last] = [samples[0], samples.at(-1)];
    if (first !== undefined && last !== undefined && last.day > first.day)
      growth.set(name, Math.round((last.bytes - first.bytes) / (last.day - first.day)));
  }
  return growth;
}
