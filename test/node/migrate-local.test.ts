import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { execute } from "../../scripts/databases/execute.mjs";
import { migrateAll } from "../../scripts/service/migrate.mjs";

/* A local state is migrated as wrangler does it: each file once, in order, whole or not at all. */

let stateDir: string;
const file = (name: string, sql: string) => writeFileSync(join(stateDir, "migrations", name), sql);
const migrate = () => migrateAll({ stateDir, remote: false });
const ask = async (binding: string, sql: string) =>
  (await execute(binding, { stateDir, remote: false }, sql))[0]?.results;
const APPLIED = "SELECT name FROM d1_migrations ORDER BY id";

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "migrate-local-"));
  mkdirSync(join(stateDir, "migrations"));
  const database = (binding: string) =>
    `[[d1_databases]]\nbinding = "${binding}"\ndatabase_name = "trial-${binding.toLowerCase()}"\nmigrations_dir = "migrations"\n`;
  const named = JSON.stringify(["DB", "DB_SECOND"].map((binding) => ({ name: binding.toLowerCase(), binding })));
  writeFileSync(
    join(stateDir, "databases.toml"),
    `[vars]\nDATABASES = '${named}'\n${database("DB")}${database("DB_SECOND")}[[r2_buckets]]\nbinding = "BUCKET"\nbucket_name = "trial"\n`,
  );
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

test("each database gets each file once, and a file that is new later", async () => {
  file(
    "0001_first.sql",
    "-- a comment; with a semicolon\nCREATE TABLE a (x TEXT);\nINSERT INTO a VALUES ('one; two');",
  );
  await migrate();
  await migrate();
  file("0010_third.sql", "INSERT INTO a SELECT y FROM b;");
  file("0002_second.sql", "CREATE TABLE b (y TEXT); INSERT INTO b VALUES ('three');");
  await migrate();
  for (const binding of ["DB", "DB_SECOND"]) {
    expect(await ask(binding, "SELECT x FROM a")).toEqual([{ x: "one; two" }, { x: "three" }]);
    expect(await ask(binding, APPLIED)).toEqual([
      { name: "0001_first.sql" },
      { name: "0002_second.sql" },
      { name: "0010_third.sql" },
    ]);
  }
});

test("a file that fails is named and changes nothing, and the files before it stay applied", async () => {
  file("0001_first.sql", "CREATE TABLE a (x TEXT);");
  file("0002_second.sql", "INSERT INTO a VALUES ('half'); INSERT INTO missing VALUES (1);");
  await expect(migrate()).rejects.toThrow(/0002_second\.sql of trial-db failed: .*no such table: missing/s);
  expect(await ask("DB", "SELECT count(*) AS n FROM a")).toEqual([{ n: 0 }]);
  expect(await ask("DB", APPLIED)).toEqual([{ name: "0001_first.sql" }]);
  file("0002_second.sql", "INSERT INTO a VALUES ('whole');");
  await migrate();
  for (const binding of ["DB", "DB_SECOND"]) expect(await ask(binding, "SELECT x FROM a")).toEqual([{ x: "whole" }]);
});
