import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";
import { OF_SERVICE, OF_WORKSPACE } from "../../src/carried";
import { everyDatabase } from "./spread";

/** Files that count all of a table, or fill the database with their own worlds. Each gets an empty database. */
const NEEDS_EMPTY_DATABASE: ReadonlySet<string> = new Set([
  "test/access/first-admin.test.ts",
  "test/access/statements.test.ts",
  "test/resilience/hub/silence.test.ts",
  "test/documents/lists.test.ts",
  "test/permission/api.test.ts",
  "test/permission/sets.test.ts",
  "test/resilience/backups/backup.test.ts",
  "test/resilience/platform/carry/carry.test.ts",
  "test/platform/costs.test.ts",
  "test/platform/idempotency.test.ts",
  "test/resilience/platform/jobs/lanes.test.ts",
  "test/platform/jobs/sweep.test.ts",
  "test/search/administration.test.ts",
]);

/**
 * Whether the database of the runtime has the rows of a file that the next file must not get, and whether it has its tables: asking
 * again in each file costs CPU.
 */
const runtime = globalThis as { isDatabaseFilled?: boolean; hasTables?: boolean };

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the first parameter of a hook as a list of fixtures
beforeAll(async ({}, suite) => {
  const needsEmpty = NEEDS_EMPTY_DATABASE.has(suite.file.name);
  const isReset = needsEmpty || runtime.isDatabaseFilled === true;
  if (isReset) await reset();
  runtime.isDatabaseFilled = needsEmpty;
  if (runtime.hasTables === true && !isReset) return;
  runtime.hasTables = true;
  for (const [, database] of everyDatabase) {
    await applyD1Migrations(database, env.TEST_MIGRATIONS);
    await database.batch(followers.map((trigger) => database.prepare(trigger)));
  }
});

/**
 * Refuses an update that changes a column which the light sums of `carry.ts` leave out, and no column which they include: a
 * backup would not see it.
 */
const followers = OF_WORKSPACE.concat(OF_SERVICE).flatMap(({ id, name, columns, light }) => {
  if (light === null) return [];
  const counted = light.map((column) => column.name);
  const left = columns.filter((column) => !counted.includes(column.name)).map((column) => column.name);
  const differs = left.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(" OR ");
  const same = counted.map((column) => `OLD.${column} IS NEW.${column}`).join(" AND ");
  return `CREATE TRIGGER IF NOT EXISTS "test_${id}_follows" BEFORE UPDATE ON ${name} WHEN (${differs}) AND ${same || "1"}
    BEGIN SELECT RAISE(ABORT, 'a change of ${name} that light sums do not see'); END`;
});
