import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";

/** Files that count all of a table, or fill the database with their own worlds. Each gets an empty database. */
const NEEDS_EMPTY_DATABASE: ReadonlySet<string> = new Set([
  "test/access/first-admin.test.ts",
  "test/access/statements.test.ts",
  "test/resilience/hub/silence.test.ts",
  "test/permission/api.test.ts",
  "test/permission/sets.test.ts",
  "test/platform/carry/carry.test.ts",
  "test/platform/costs.test.ts",
  "test/platform/idempotency.test.ts",
  "test/resilience/platform/jobs/lanes.test.ts",
  "test/platform/jobs/sweep.test.ts",
  "test/search/administration.test.ts",
]);

/** Whether the database of the runtime has the rows of a file that the next file must not get. */
const runtime = globalThis as { isDatabaseFilled?: boolean };

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the first parameter of a hook as a list of fixtures
beforeAll(async ({}, suite) => {
  const needsEmpty = NEEDS_EMPTY_DATABASE.has(suite.file.name);
  if (needsEmpty || runtime.isDatabaseFilled === true) await reset();
  runtime.isDatabaseFilled = needsEmpty;
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});
