import { expect, test } from "vitest";
import operations from "../../docs/operations.md?raw";

const migrations = import.meta.glob<string>("../../migrations/*.sql", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Tables that a backup leaves out: of the moment, or made again from the others. */
const LEFT_OUT = [
  "guards",
  "jobs",
  "idempotency_keys",
  "rate_windows",
  "password_resets",
  "storage_usage",
  "search_scopes",
  "search_entries",
  "search_rows",
  "camera_exports",
  "camera_export_pages",
  "camera_health",
];

test("the backup of docs/operations.md names every table that holds truth", () => {
  const tables = Object.values(migrations).flatMap((sql) =>
    [...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = ""]) => name),
  );
  const [, listed = ""] = /for table in ([\s\S]+?)\s*; do/.exec(operations) ?? [];
  expect(
    listed
      .split(/[\s\\]+/)
      .filter(Boolean)
      .sort(),
  ).toEqual(tables.filter((name) => !LEFT_OUT.includes(name)).sort());
});
