import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { memberships, users } from "../../src/access/tables";
import { beginChange, beginDirectoryChange } from "../../src/platform/db/change";
import { openDatabases, readBoth, runBatch } from "../../src/platform/db/database";
import { NO_WORKSPACE } from "../../src/platform/db/residence";
import { systemContext } from "../support/jobs";
import { crossings } from "../support/sides";
import { forgetRecorded, recordedBatches } from "../support/statements";

const PEOPLE = "SELECT id FROM people WHERE id = ?";
const USERS = "SELECT id FROM users WHERE id = ?";
const RENAME = "UPDATE users SET display_name = ? WHERE id = ?";
const batch = (statements: string[], isApart = false) => ({ statements, isApart });

test.each([
  [
    "a join",
    "SELECT users.id FROM memberships JOIN users ON users.id = memberships.user_id WHERE memberships.user_id = ?",
  ],
  ["a subquery", "SELECT id FROM users WHERE EXISTS (SELECT 1 FROM grants WHERE grants.user_id = users.id) AND id = ?"],
  [
    "a guard",
    "INSERT INTO guards (failure) SELECT 'app:x' WHERE NOT ((SELECT count(*) FROM users WHERE id = ?) + (SELECT count(*) FROM people WHERE id = ?))",
  ],
  ["a copy", "INSERT INTO people (id, email, display_name) SELECT id, email, display_name FROM users WHERE id = ?"],
  [
    "the full-text index",
    "SELECT rowid FROM search_terms WHERE search_terms MATCH (SELECT display_name FROM users WHERE id = ?)",
  ],
])("a statement that reads both sides is found: %s", async (_, statement) => {
  expect(await crossings([statement], [])).toEqual([`statement: ${statement}`]);
});

test("a trigger and a foreign key that lead to the other side are found", async () => {
  await env.DB.exec(
    "CREATE TRIGGER seeded AFTER UPDATE ON people BEGIN UPDATE users SET display_name = NEW.display_name WHERE id = NEW.id; END",
  );
  await env.DB.exec("CREATE TABLE seeded_children (user_id TEXT REFERENCES users (id))");
  const byTrigger = "UPDATE people SET display_name = ? WHERE id = ?";
  const byForeignKey = "INSERT INTO seeded_children (user_id) SELECT id FROM people WHERE id = ?";
  try {
    expect(await crossings([byTrigger, byForeignKey], [])).toHaveLength(2);
  } finally {
    await env.DB.exec("DROP TRIGGER seeded");
    await env.DB.exec("DROP TABLE seeded_children");
  }
});

test("a batch of both sides is found, unless it only reads and its statements can run apart", async () => {
  expect(await crossings([PEOPLE, USERS], [batch([PEOPLE, USERS])])).toHaveLength(1);
  expect(await crossings([], [batch([PEOPLE, RENAME], true)])).toHaveLength(1);
  expect(await crossings([], [batch([PEOPLE, USERS], true), batch([USERS, RENAME]), batch([PEOPLE])])).toEqual([]);
});

test("tables that every database has are of no side", async () => {
  const audit =
    "INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, request_id, created_at) VALUES (?, '', '', '', '', '', 0)";
  expect(await crossings([audit], [batch([audit, RENAME]), batch([audit, PEOPLE])])).toEqual([]);
});

test("the recorder knows by the name of the function which batches read both sides", async () => {
  const databases = openDatabases(env.DB);
  const [ofPeople, ofUsers] = [sql`SELECT 1 AS seeded FROM people LIMIT 1`, sql`SELECT 1 AS seeded FROM users LIMIT 1`];
  try {
    await readBoth(databases, { directory: [ofUsers], workspace: [ofPeople] });
    await runBatch(databases.workspace, [ofPeople, ofUsers]);
    const seen = recordedBatches().filter(({ statements }) => statements.some((one) => one.includes("AS seeded")));
    expect(seen.map(({ isApart }) => isApart)).toEqual([true, false]);
  } finally {
    forgetRecorded("AS seeded");
  }
});

test("the compiler refuses a table of the other side", () => {
  const context = systemContext();
  const { directory, workspace } = context;
  const refused = () => {
    // @ts-expect-error: memberships are of the workspace side
    void directory.select().from(memberships);
    // @ts-expect-error: users are of the directory
    void workspace.delete(users);
    // @ts-expect-error: a change of a workspace has no statement of the directory
    beginChange(context, NO_WORKSPACE).add(directory.update(users).set({ displayName: "" }));
    // @ts-expect-error: a change of the directory has no statement of a workspace
    beginDirectoryChange(context).add(workspace.update(memberships).set({ role: "guest" }));
  };
  expect(refused).toBeTypeOf("function");
});
