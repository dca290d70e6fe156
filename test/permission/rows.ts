import { env } from "cloudflare:workers";
import { grants, memberships, organizations, people, users } from "../../src/access/tables";
import { documents, documentVersions } from "../../src/documents/tables";
import { type Composed, runBatch } from "../../src/platform/db/database";
import { residents } from "../../src/platform/db/tables";
import { newIdIn } from "../../src/platform/ids";
import { annotations, clusters, locations } from "../../src/workspace/tables";
import { testDatabase } from "../support/statements";
import { placeOf } from "./facts";
import type { Thing, World } from "./world";

type TestDatabase = ReturnType<typeof testDatabase>;

/** A word in every name, so that one search finds every visible resource. */
export const COMMON_WORD = "zinnwaldite";

/**
 * Every table of a world, and the tables with a foreign key, which an earlier test may have filled. A migration creates
 * a table after the tables that it refers to, so the last table is first here.
 */
async function tablesOfWorlds(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master
     WHERE type = 'table' AND (sql LIKE '% REFERENCES %' OR name IN ('organizations', 'people', 'users', 'residents'))
     ORDER BY rowid DESC`,
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

const nameOf = ({ id }: Thing): string => `${COMMON_WORD} ${id}`;

/** Number of rows of an insert within D1's 100 parameters. The widest table here has 17 columns. */
const ROWS_AN_INSERT = 5;

function* chunks<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += ROWS_AN_INSERT) yield rows.slice(at, at + ROWS_AN_INSERT);
}

/** Replaces the content of the database with this world. */
export async function fillDatabase(world: World): Promise<void> {
  const db = testDatabase();
  const emptied = (await tablesOfWorlds()).map(
    (table): Composed => ({
      toSQL: () => ({ sql: `DELETE FROM ${table}`, params: [] }),
    }),
  );
  const all = [...world.userIds, ...world.organizations.map(({ id }) => id)];
  await runBatch(db, [...emptied, ...accountStatements(world, db), ...workspaceStatements(world, db, all)]);
}

const personsOf = ({ userIds }: Pick<World, "userIds">) =>
  userIds.map((id) => ({ id, email: id, displayName: "Person" }));

/** The statements that insert the accounts of a world. */
export const accountStatements = (world: World, db: TestDatabase): Composed[] =>
  [...chunks(personsOf(world).map((person) => ({ ...person, createdAt: 0 })))].map((rows) =>
    db.insert(users).values(rows),
  );

/** The statements that insert the workspaces of a world that are in one database, with copies of all people. */
export function workspaceStatements(
  { organizations: allOrganizations, ...all }: World,
  db: TestDatabase,
  here: readonly string[],
): Composed[] {
  const isHere = (thing: Thing) => here.includes(placeOf(thing).tenantId);
  const world = {
    ...all,
    organizations: allOrganizations.filter(({ id }) => here.includes(id)),
    memberships: all.memberships.filter(({ organizationId }) => here.includes(organizationId)),
    things: all.things.filter(isHere),
    grants: all.grants.filter(({ target }) => isHere(target)),
  };
  const times = { createdAt: 0, updatedAt: 0 };
  const columnsOf = (thing: Thing) => {
    const { tenantId, organizationId, clusterId = "", locationId = "" } = placeOf(thing);
    return {
      id: thing.id,
      tenantId,
      organizationId,
      clusterId: clusterId ?? "",
      locationId: locationId ?? "",
      ...times,
    };
  };
  const of = (kind: Thing["kind"]) => world.things.filter((thing) => thing.kind === kind);
  const statements: Composed[] = [];
  for (const rows of chunks(here.map((workspaceId) => ({ workspaceId, state: "here" as const }))))
    statements.push(db.insert(residents).values(rows));
  for (const person of personsOf(all)) statements.push(db.insert(people).values(person));
  const limits = { documentStorageBytes: 0, jobsPerMonth: 0, maxRetentionDays: 1 };
  for (const rows of chunks(world.organizations.map((o) => ({ ...o, name: o.id, ...limits, ...times }))))
    statements.push(db.insert(organizations).values(rows));
  for (const rows of chunks(world.memberships.map((m) => ({ ...m, createdAt: 0 }))))
    statements.push(db.insert(memberships).values(rows));
  for (const rows of chunks(of("cluster").map((c) => ({ ...columnsOf(c), name: nameOf(c), metadata: {} }))))
    statements.push(db.insert(clusters).values(rows));
  for (const rows of chunks(of("location").map((l) => ({ ...columnsOf(l), name: nameOf(l), metadata: {} }))))
    statements.push(db.insert(locations).values(rows));
  for (const rows of chunks(
    of("document").map((d) => ({ ...columnsOf(d), path: "", fileName: nameOf(d), latestVersion: 1 })),
  ))
    statements.push(db.insert(documents).values(rows));
  for (const rows of chunks(of("document").map(versionRow))) statements.push(db.insert(documentVersions).values(rows));
  for (const rows of chunks(
    of("content").map((a) => ({ ...columnsOf(a), kind: "note", title: nameOf(a), metadata: {} })),
  ))
    statements.push(db.insert(annotations).values(rows));
  for (const rows of chunks(world.grants.flatMap(grantRow))) statements.push(db.insert(grants).values(rows));
  return statements;
}

const versionRow = (document: Thing) => ({
  documentId: document.id,
  version: 1,
  objectKey: document.id,
  fileName: nameOf(document),
  contentType: "text/plain",
  sizeBytes: 1,
  checksumSha256: "0".repeat(64),
  createdAt: 0,
});

function grantRow({ userId, target, levels, expiresAt }: World["grants"][number]) {
  if (target.kind === "content") return [];
  const { tenantId, organizationId } = placeOf(target);
  const named = { userId, target: target.kind, targetId: target.id, tenantId, organizationId };
  return [{ id: newIdIn(tenantId), ...named, capabilities: levels, createdAt: 0, expiresAt }];
}
