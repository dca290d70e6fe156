import { env } from "cloudflare:workers";
import { afterAll, describe, expect, test } from "vitest";
import { NOT_CARRIED, OF_SERVICE, OF_WORKSPACE } from "../../../src/carried";
import type { Carried } from "../../../src/platform/db/carry/declare";
import { carryOut, type Slice } from "../../../src/platform/db/carry/read";
import { pageStatement } from "../../../src/platform/db/carry/statements";
import { carryIn } from "../../../src/platform/db/carry/write";
import fc, { scaled } from "../../support/properties";
import { database, dumpAll, empty, emptyAsMigrated, fill, inSmallSlices, plan, TABLES } from "./world";

// Open jobs of a generated world have no worker.
afterAll(emptyAsMigrated);

/** What is kept of a slice: its rows. */
type Kept = readonly string[];
const keep = async (_: Carried, lines: readonly string[]): Promise<Kept> => lines;

const [ofWorkspace, ofService] = [inSmallSlices(OF_WORKSPACE), inSmallSlices(OF_SERVICE)];

/** Writes slices that were read. */
const writeBack = (tables: readonly Carried[], slices: readonly Slice<Kept>[]) =>
  carryIn(database, tables, async function* ({ id }) {
    for (const slice of slices) if (slice.table === id) yield slice.kept;
  });

describe("the declarations", () => {
  test("every table is carried, or is left with a reason", () => {
    const carried = new Set([...OF_WORKSPACE, ...OF_SERVICE].map(({ name }) => name));
    expect([...TABLES.keys()].filter((name) => !carried.has(name)).sort()).toEqual(Object.keys(NOT_CARRIED).sort());
  });

  test("a table comes after the tables that it refers to", async () => {
    const { results: tables } = await env.DB.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all<{
      name: string;
      sql: string | null;
    }>();
    const results = tables.flatMap(({ name: child, sql }) =>
      [...(sql ?? "").matchAll(/REFERENCES (\w+)/g)].map(([, parent = ""]) => ({ child, parent })),
    );
    const order = [...OF_WORKSPACE, ...OF_SERVICE].map(({ name }) => name);
    const wrong = results.filter(
      ({ child, parent }) =>
        child !== parent && !(child in NOT_CARRIED) && order.indexOf(child) < order.indexOf(parent),
    );
    expect(results.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

test("a generated world is the same after it was carried out and in, also twice", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (one) => {
      await empty();
      const workspaces = await fill(one);
      const before = await dumpAll();
      const read = new Map<string | null, Slice<Kept>[]>();
      for (const id of workspaces) read.set(id, await carryOut(database, ofWorkspace, id, keep));
      read.set(null, await carryOut(database, ofService, null, keep));
      await empty();
      expect(await dumpAll()).toEqual([]);
      for (let times = 0; times < 2; times++) {
        for (const [id, slices] of read) await writeBack(id === null ? ofService : ofWorkspace, slices);
        expect(await dumpAll()).toEqual(before);
      }
    }),
    { numRuns: scaled(2) },
  );
});

/** Every row of a workspace in one read of each table. */
async function rowsNow(workspace: string): Promise<string[]> {
  const whole = OF_WORKSPACE.map((table) => ({ ...table, slice: 10_000 }));
  const results = await database.batch(
    whole.map((table) => pageStatement(table, workspace, { after: null, to: null })),
  );
  return whole
    .flatMap(({ id }, n) => ((results[n] ?? []) as { line: string }[]).map(({ line }) => `${id}: ${line}`))
    .sort();
}

const linesOf = (slices: readonly Slice<Kept>[]): string[] =>
  slices.flatMap(({ table, kept }) => kept.map((line) => `${table}: ${line}`)).sort();

/** Changes of rows of an organization, as a service in use makes them. */
const CHANGES = [
  "UPDATE locations SET name = name || 'x', updated_at = updated_at + 1",
  "INSERT INTO audit_entries SELECT 'z' || hex(randomblob(8)), organization_id, NULL, 'user', NULL, 'a', 'b', 'c', '{}', NULL, '', 1 FROM organizations o JOIN memberships m ON m.organization_id = o.id LIMIT 3",
  "INSERT INTO audit_entries SELECT '0' || hex(randomblob(8)), organization_id, NULL, 'user', NULL, 'a', 'b', 'c', '{}', NULL, '', 1 FROM organizations o JOIN memberships m ON m.organization_id = o.id LIMIT 3",
  "DELETE FROM annotations WHERE id = (SELECT min(id) FROM annotations)",
  "DELETE FROM document_versions WHERE (document_id, version) = (SELECT document_id, version FROM document_versions LIMIT 1)",
  "UPDATE camera_frames SET charged_bytes = charged_bytes + 1, size_bytes = size_bytes + 1",
];

test("rows that change while they are read are of one moment", async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.array(fc.nat(CHANGES.length - 1), { maxLength: 12 }), async (one, changes) => {
      await empty();
      const organization = (await fill(one)).at(-1) ?? "";
      const left = [...changes];
      let last: string[] = [];
      const busy = {
        batch: async (statements: Parameters<typeof database.batch>[0]) => {
          const next = left.shift();
          if (next !== undefined) await env.DB.prepare(CHANGES[next] ?? "").run();
          last = await rowsNow(organization);
          return database.batch(statements);
        },
      };
      expect(linesOf(await carryOut(busy, ofWorkspace, organization, keep))).toEqual(last);
    }),
    { numRuns: scaled(2) },
  );
});

test("of rows that were read before, only changed slices are read again", async () => {
  await empty();
  const organization = (await fill({ rows: 5, seed: 7 })).at(-1) ?? "";
  const first = await carryOut(database, ofWorkspace, organization, keep);
  const kept: string[] = [];
  const keepAgain = async ({ id }: Carried, lines: readonly string[]): Promise<Kept> => {
    kept.push(id);
    return lines;
  };
  expect(await carryOut(database, ofWorkspace, organization, keepAgain, first)).toEqual(first);
  expect(kept).toEqual([]);
  await env.DB.prepare(
    "UPDATE clusters SET revision = revision + 1 WHERE id = (SELECT max(id) FROM clusters WHERE tenant_id = ?)",
  )
    .bind(organization)
    .run();
  const second = await carryOut(database, ofWorkspace, organization, keepAgain, first);
  expect(kept).toEqual(["clusters"]);
  expect(linesOf(second)).toEqual(await rowsNow(organization));
});
