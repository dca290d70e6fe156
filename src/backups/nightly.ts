import { z } from "@hono/zod-openapi";
import { desc, isNotNull, lt, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import type { Carried } from "../platform/db/carry/declare";
import type { Source } from "../platform/db/carry/statements";
import { beginDirectoryChange } from "../platform/db/change";
import { type AnyDatabase, runBatch } from "../platform/db/database";
import { SCHEMA_VERSION } from "../platform/db/schema-version";
import { complete, continueLater, countQueries, type RecurringHandler } from "../platform/jobs/handlers";
import { log } from "../platform/log";
import { DAY, HOUR, MINUTE, SECOND, toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { type Manifest, readManifests, stampOf } from "./format";
import { removeBackups } from "./remove";
import { backups } from "./tables";
import { type Backup, beginBackup, MAX_BACKUP_MS, type Tables, takeBackup } from "./take";

/** Age of the last complete backup from which backups are overdue, milliseconds. */
export const BACKUP_OVERDUE_MS = 26 * HOUR;
/** Another job takes over a backup on which nobody has worked for this time, milliseconds. */
const BACKUP_IDLE_MS = 30 * MINUTE;
/** Time after which a slice of the job ends, milliseconds. */
const BACKUP_SLICE_MS = 10 * SECOND;

const sourceOf = (database: AnyDatabase): Source => ({
  batch: async (statements) => {
    const results = await runBatch(
      database,
      statements.map((asked) => ({ toSQL: () => asked })),
    );
    return results.map((result) => result.results);
  },
});

/** The begin of the day (UTC) of a time. */
const dayOf = (now: number): number => now - (now % DAY);

/** A backup of today is complete, or somebody works on one. */
const isDone = (
  now: number,
) => sql`EXISTS (SELECT 1 FROM ${backups} WHERE stamp >= ${stampOf(dayOf(now))} AND completed_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM ${backups} WHERE stamp >= ${stampOf(now - MAX_BACKUP_MS)} AND completed_at IS NULL AND worked_at > ${now - BACKUP_IDLE_MS})`;

const state = z.object({ step: z.enum(["take", "remove"]) });

const rowOf = (manifest: Manifest, now: number) => ({
  startedAt: Date.parse(manifest.startedAtUtc),
  workedAt: now,
  completedAt: manifest.completedAtUtc === null ? null : Date.parse(manifest.completedAtUtc),
  workspaces: manifest.workspaces,
  rows: manifest.rows,
  objects: manifest.objects,
  missing: manifest.missing,
});

/**
 * Takes the backup of a day, in slices, and then removes backups that are older than BACKUP_RETENTION_DAYS. It needs the binding
 * BACKUP_BUCKET. With a database of its own, the directory has only the tables of `ofDirectory`. A backup that was interrupted is continued by the job of the next hour.
 */
export const takeBackups = (all: Tables, ofDirectory: readonly Carried[]): RecurringHandler<"take-backup"> => ({
  side: "directory",
  hasWork: ({ now, backups: store }) => (store === null ? sql`0` : sql`NOT (${isDone(now)})`),
  async run(context, job) {
    const { backups: store, databases, directory, directoryName, settings } = context;
    if (store === null) return complete();
    const isSpent = countQueries(context);
    const end = Date.now() + BACKUP_SLICE_MS;
    const mayContinue = () => !isSpent() && Date.now() < end;
    const { step } = job.state === null ? { step: "take" } : state.parse(job.state);
    const change = beginDirectoryChange(context);
    if (step === "remove") {
      const before = context.now - settings.BACKUP_RETENTION_DAYS * DAY;
      if (!(await removeBackups(store, before, mayContinue))) return continueLater({ step: "remove" });
      // The last complete one stays in the bucket, and here.
      const last = sql`(SELECT max(stamp) FROM ${backups} WHERE completed_at IS NOT NULL)`;
      return complete(
        change.add(directory.delete(backups).where(sql`${lt(backups.stamp, stampOf(before))} AND stamp < ${last}`)),
      );
    }
    const backup: Backup = {
      store,
      tables: databases.names.includes(directoryName) ? all : { ...all, service: ofDirectory },
      schema: SCHEMA_VERSION,
      databases: databases.names.map((name) => ({ name, source: sourceOf(databases.open(name) as AnyDatabase) })),
      directory: { name: directoryName, source: sourceOf(directory as AnyDatabase) },
      mayContinue,
      now: context.now,
    };
    const newest = (await readManifests(store)).at(-1);
    // The slice that completed it may have lost its change.
    const isDoneToday = newest?.completedAtUtc != null && newest.stamp >= stampOf(dayOf(context.now));
    const manifest = isDoneToday ? newest : await takeBackup(backup, await beginBackup(backup));
    const row = rowOf(manifest, Date.now());
    change.add(
      directory
        .insert(backups)
        .values({ stamp: manifest.stamp, ...row })
        .onConflictDoUpdate({ target: backups.stamp, set: row }),
    );
    const progress = { done: manifest.workspaces, total: manifest.workspaces };
    return continueLater({ step: manifest.completedAtUtc === null ? "take" : "remove" }, { change, progress });
  },
});

/** The last complete backup is too old. Without any, the first one that was begun counts. */
const isOverdue = (now: number) => sql`NOT EXISTS (SELECT 1 FROM ${backups}
    WHERE stamp >= ${stampOf(now - BACKUP_OVERDUE_MS - MAX_BACKUP_MS)} AND completed_at >= ${now - BACKUP_OVERDUE_MS})
  AND EXISTS (SELECT 1 FROM ${backups} WHERE stamp < ${stampOf(now - BACKUP_OVERDUE_MS)})`;

/** Writes an error into the log while backups are overdue. */
export const watchBackups: RecurringHandler<"watch-backups"> = {
  side: "directory",
  hasWork: ({ now, backups: store }) => (store === null ? sql`0` : isOverdue(now)),
  async run(context) {
    const status = await readBackupStatus(context);
    if (status?.isOverdue) log("error", "backup.overdue", { lastCompletedAtUtc: status.last?.completedAtUtc ?? null });
    return complete();
  },
};

const takenSchema = z.object({
  startedAtUtc: utcSchema.openapi({ description: "Every row is of this time or later." }),
  completedAtUtc: utcSchema.nullable(),
  workspaces: z.int(),
  rows: z.int(),
  objects: z.int(),
  missing: z.int().openapi({ description: "Objects that rows name and the bucket did not have." }),
});

export const backupStatusSchema = z
  .object({
    last: takenSchema.nullable().openapi({ description: "The last complete backup." }),
    current: takenSchema
      .nullable()
      .openapi({ description: "The backup that is being taken, with what it has so far." }),
    isOverdue: z.boolean().openapi({ description: "Whether no backup was completed in the last 26 hours." }),
  })
  .openapi("BackupStatus");

const present = (row: typeof backups.$inferSelect | undefined): z.infer<typeof takenSchema> | null =>
  row === undefined
    ? null
    : {
        startedAtUtc: toUtc(row.startedAt),
        completedAtUtc: toUtcOrNull(row.completedAt),
        ...{ workspaces: row.workspaces, rows: row.rows, objects: row.objects, missing: row.missing },
      };

/** The state of the nightly backups; null without a bucket for them. */
export async function readBackupStatus({
  backups: store,
  directory,
  now,
}: Pick<Context, "backups" | "directory" | "now">): Promise<z.infer<typeof backupStatusSchema> | null> {
  if (store === null) return null;
  const newest = directory.select().from(backups).orderBy(desc(backups.stamp)).limit(1);
  const [[last], [latest], overdue] = await directory.batch([
    directory.select().from(backups).where(isNotNull(backups.completedAt)).orderBy(desc(backups.stamp)).limit(1),
    newest,
    directory.select({ isOverdue: sql<number>`${isOverdue(now)}` }).from(sql`(SELECT 1)`),
  ]);
  return {
    last: present(last),
    current: latest?.completedAt === null ? present(latest) : null,
    isOverdue: overdue[0]?.isOverdue === 1,
  };
}
