import { describe, expect, test } from "vitest";
import { usedIndexes, wholeTables } from "../support/query-plans";

/* The statements of requests and jobs are checked at the end of every file of the suite, see support/query-plans. */

describe("the rule fails", () => {
  test.each([
    ["SELECT * FROM clusters", "clusters"],
    ["SELECT count(*) FROM memberships", "memberships_of_user of memberships"],
    ["SELECT c.id FROM clusters AS c WHERE c.name = ?", "clusters"],
    ["SELECT id FROM clusters ORDER BY id LIMIT 20", "clusters"],
    ["SELECT tenant_id FROM clusters ORDER BY tenant_id DESC LIMIT 20", "clusters_of_tenant of clusters"],
    ["UPDATE locations SET name = ? WHERE description = ?", "locations"],
    ["DELETE FROM documents WHERE path = ?", "documents"],
    ["WITH everybody AS (SELECT id FROM users) SELECT * FROM everybody AS e JOIN users USING (id)", "users"],
    [
      "SELECT g.id FROM grants g JOIN organizations o ON o.jobs_per_month = g.id WHERE g.user_id = ?",
      "organizations_by_name of organizations",
    ],
    [
      "SELECT * FROM clusters WHERE id > ? AND name = ? ORDER BY id LIMIT 20",
      "SEARCH clusters USING PRIMARY KEY (id>?)",
    ],
  ])("on %s", async (statement, table) => {
    expect(await wholeTables(statement)).toContainEqual(table);
  });

  test.each([
    "SELECT * FROM clusters WHERE tenant_id = ? ORDER BY id LIMIT 20",
    "SELECT id FROM clusters WHERE id IN (SELECT value FROM json_each(?))",
    "WITH named AS (SELECT value AS id FROM json_each(?)) SELECT c.name FROM named CROSS JOIN clusters AS c ON c.id = named.id",
    "WITH mine AS MATERIALIZED (SELECT value AS id FROM json_each(?)) SELECT 1 FROM json_each(?) CROSS JOIN mine ON mine.id = json_each.value",
    "WITH mine AS MATERIALIZED (SELECT id, name FROM clusters WHERE tenant_id = ?) SELECT a.id FROM mine a JOIN mine b ON a.name = b.name",
    "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ? LIMIT ?)",
    "SELECT max(id) FROM audit_entries WHERE organization_id = ?",
    "DELETE FROM organizations WHERE id = ?",
    "DELETE FROM locations WHERE id = ?",
    "INSERT INTO guards (failure) SELECT 'app:x' WHERE NOT coalesce((SELECT 1 FROM users WHERE id = ?2 AND email = ?1), 0)",
  ])("not on %s", async (statement) => {
    expect(await wholeTables(statement)).toEqual([]);
  });
});

test("the statements of triggers are checked with the statement that runs them", async () => {
  for (const statement of [
    "UPDATE locations SET cluster_id = ? WHERE id = ?",
    "DELETE FROM stored_objects WHERE key = ?",
    "UPDATE uploads SET status = ? WHERE id = ?",
  ])
    expect(await wholeTables(statement)).toEqual([]);
});

test("the indexes that a statement or its cascades read are known, without the indexes that they only write", async () => {
  expect(await usedIndexes("SELECT * FROM clusters WHERE tenant_id = ? ORDER BY id LIMIT 20")).toEqual([
    "clusters_of_tenant",
  ]);
  expect(await usedIndexes("DELETE FROM clusters WHERE id = ?")).toContain("locations_of_cluster");
  expect(await usedIndexes("INSERT INTO clusters (id, tenant_id, name) VALUES (?, ?, ?)")).toEqual([]);
});
