import { expect, test } from "vitest";
import source from "../../scripts/backup/database.mjs?raw";

const migrations = import.meta.glob<string>("../../migrations/*.sql", {
  query: "?raw",
  import: "default",
  eager: true,
});

test("the tables without a backup exist and contain no primary data", () => {
  const tables = Object.values(migrations).flatMap((sql) =>
    [...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = ""]) => name),
  );
  const [, listed = ""] = /EXCLUDED_TABLES = \[([\s\S]+?)\]/.exec(source) ?? [];
  const leftOut = [...listed.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
  expect(leftOut.sort()).toEqual([
    "camera_export_pages",
    "camera_exports",
    "committed_requests",
    "guards",
    "idempotency_keys",
    "password_resets",
    "rate_windows",
    "search_entries",
    "search_groups",
    "search_guest_sums",
    "search_rows",
  ]);
  expect(leftOut.filter((name) => !tables.includes(name))).toEqual([]);
});
