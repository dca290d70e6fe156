import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { NOT_CARRIED, OF_SERVICE, OF_WORKSPACE } from "../../../../src/carried";
import type { Carried } from "../../../../src/platform/db/carry/declare";
import { type Parts, type Reading, carryOut as read } from "../../../../src/platform/db/carry/read";
import { type Asked, pageStatement } from "../../../../src/platform/db/carry/statements";
import { carryIn, findDifferences } from "../../../../src/platform/db/carry/write";
import { compile } from "../../../../src/platform/db/database";
import { beginArrival, Fence, FenceLost, isHere } from "../../../../src/platform/db/residence";
import {
  database,
  dumpAll,
  empty,
  emptyAsMigrated,
  fill,
  inSmallSlices,
  plan,
  TABLES,
} from "../../../platform/carry/world";
import fc, { scaled } from "../../../support/properties";

// Open jobs of a generated world have no worker.
afterAll(emptyAsMigrated);

/** What is kept of a slice: its rows. */
type Kept = readonly string[];
const keep = async (_: Carried, lines: readonly string[]): Promise<Kept> => lines;

const isSlice = (part: Parts<Kept>[number]) => part.rows !== null;

type Options = Partial<Reading<Kept>>;

/** Reads everything in one call. */
async function carryOut(
  source: typeof database,
  tables: readonly Carried[],
  workspace: string | null,
  keepSlice: Reading<Kept>["keep"],
  more: Options = {},
): Promise<Parts<Kept>> {
  const { parts, isWhole } = await read({ source, tables, workspace, keep: keepSlice, ...more });
  expect(isWhole).toBe(true);
  return parts;
}

const [ofWorkspace, ofService] = [inSmallSlices(OF_WORKSPACE), inSmallSlices(OF_SERVICE)];

/** Writes slices that were read. A workspace begins to arrive first, as in a restoration and a move. */
async function writeBack(workspace: string | null, tables: readonly Carried[], slices: Parts<Kept>): Promise<void> {
  if (workspace !== null) await database.batch([beginArrival(workspace)]);
  await carryIn(database, tables, async function* ({ id }) {
    for (const slice of slices) if (slice.table === id && slice.rows !== null) yield slice.kept;
  });
}

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
      const read = new Map<string | null, Parts<Kept>>();
      for (const id of workspaces) read.set(id, await carryOut(database, ofWorkspace, id, keep));
      read.set(null, await carryOut(database, ofService, null, keep));
      await empty();
      expect(await dumpAll()).toEqual([]);
      for (let times = 0; times < 2; times++) {
        for (const [id, parts] of read) {
          const tables = id === null ? ofService : ofWorkspace;
          await writeBack(id, tables, parts);
          expect(await findDifferences(database, tables, id, parts.filter(isSlice))).toEqual([]);
        }
        expect(await dumpAll()).toEqual(before);
      }
    }),
    { numRuns: scaled(2) },
  );
});

test("rows that are not those that were read are found", async () => {
  await empty();
  const organization = (await fill({ rows: 4, seed: 3 })).at(-1) ?? "";
  const slices = (await carryOut(database, ofWorkspace, organization, keep)).filter(isSlice);
  const differences = () => findDifferences(database, ofWorkspace, organization, slices);
  await env.DB.prepare(
    "UPDATE locations SET revision = revision + 1 WHERE id = (SELECT max(id) FROM locations WHERE tenant_id = ?)",
  )
    .bind(organization)
    .run();
  await env.DB.prepare("DELETE FROM invitations WHERE id = (SELECT min(id) FROM invitations WHERE organization_id = ?)")
    .bind(organization)
    .run();
  await env.DB.prepare("DELETE FROM report_changes").run();
  expect(await differences()).toEqual([
    "invitations has 3 rows instead of 4.",
    "locations has rows with other values.",
    expect.stringMatching(/^report_changes has 0 rows instead of \d\.$/),
  ]);
});

test("a workspace in which nothing was stored yet is restored", async () => {
  await empty();
  const organization = (await fill({ rows: 2, seed: 17 })).at(-1) ?? "";
  await env.DB.prepare("DELETE FROM storage_usage").run();
  const parts = await carryOut(database, ofWorkspace, organization, keep);
  await empty();
  await writeBack(organization, ofWorkspace, parts);
  expect(await findDifferences(database, ofWorkspace, organization, parts.filter(isSlice))).toEqual([]);
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

const linesOf = (parts: Parts<Kept>): string[] =>
  parts.flatMap((part) => (part.rows === null ? [] : part.kept.map((line) => `${part.table}: ${line}`))).sort();

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
  expect(await carryOut(database, ofWorkspace, organization, keepAgain, { previous: first })).toEqual(first);
  expect(kept).toEqual([]);
  await env.DB.prepare(
    "UPDATE clusters SET revision = revision + 1 WHERE id = (SELECT max(id) FROM clusters WHERE tenant_id = ?)",
  )
    .bind(organization)
    .run();
  const second = await carryOut(database, ofWorkspace, organization, keepAgain, { previous: first });
  expect(kept).toEqual(["clusters"]);
  expect(linesOf(second)).toEqual(await rowsNow(organization));
});

/** Changes of a service: each is refused while the workspace is closed. */
const isOpen = isHere(sql`${sql.raw("?1")}`);
const GUARDED = CHANGES.map((change) => {
  const where = compile(isOpen).sql;
  return change.includes(" WHERE ")
    ? change.replace(" WHERE ", ` WHERE ${where} AND `)
    : change.replace(/( LIMIT \d+)?$/, (limit) => ` WHERE ${where}${limit}`);
});

/** A database in which somebody changes rows of a workspace before each batch, unless the workspace is closed. */
function changedBeforeEachBatch(organization: string, changes: readonly number[]) {
  const left = [...changes];
  const seen: { last: string[]; refused: number } = { last: [], refused: 0 };
  const busy = {
    batch: async (statements: readonly Asked[]) => {
      const next = left.shift();
      if (next !== undefined) {
        const { meta } = await env.DB.prepare(GUARDED[next] ?? "")
          .bind(organization)
          .run();
        if (meta.changes === 0) seen.refused += 1;
      }
      seen.last = await rowsNow(organization);
      return database.batch(statements);
    },
  };
  return { busy, seen };
}

const stateOf = (organization: string) =>
  env.DB.prepare("SELECT state, closed_until FROM residents WHERE workspace_id = ?").bind(organization).first();

test("a large workspace is read behind a fence, and its changes wait only for the last step", async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.array(fc.nat(CHANGES.length - 1), { minLength: 60, maxLength: 120 }),
      async (one, changes) => {
        await empty();
        const organization = (await fill(one)).at(-1) ?? "";
        const { busy, seen } = changedBeforeEachBatch(organization, changes);
        const fence = new Fence(busy, organization);
        expect(linesOf(await carryOut(busy, ofWorkspace, organization, keep, { fence }))).toEqual(seen.last);
        expect(await stateOf(organization)).toEqual({ state: "here", closed_until: null });
        refused += seen.refused;
      },
    ),
    { numRuns: scaled(2) },
  );
  expect(refused).toBeGreaterThan(0);
});

test("a reading that is cut into calls continues where it was", async () => {
  await empty();
  const organization = (await fill({ rows: 4, seed: 11 })).at(-1) ?? "";
  let [previous, calls]: [Parts<Kept> | undefined, number] = [undefined, 0];
  for (let isWhole = false; !isWhole; calls += 1) {
    // What a call leaves is kept as JSON.
    const given: Options =
      previous === undefined ? {} : { previous: JSON.parse(JSON.stringify(previous)), isContinued: true };
    let batches = 0;
    const source = {
      batch: (statements: readonly Asked[]) => {
        batches += 1;
        return database.batch(statements);
      },
    };
    const fence = new Fence(source, organization);
    const more = { ...given, fence, mayContinue: () => batches < 3 };
    const done = await read({ source, tables: ofWorkspace, workspace: organization, keep, ...more });
    [previous, isWhole] = [done.parts, done.isWhole];
  }
  expect(calls).toBeGreaterThan(2);
  expect(linesOf(previous ?? [])).toEqual(await rowsNow(organization));
});

describe("a fence", () => {
  const expire = "UPDATE residents SET closed_until = 1 WHERE closed_until IS NOT NULL";

  test("that nobody renews ends by itself, and is noticed", async () => {
    await empty();
    const organization = (await fill({ rows: 1, seed: 5 })).at(-1) ?? "";
    const fence = new Fence(database, organization);
    expect(await fence.close()).toBe(true);
    const here = sql`SELECT ${isHere(sql`${sql.raw("?1")}`)} AS here`;
    const isHereNow = () => env.DB.prepare(compile(here).sql).bind(organization).first("here");
    expect(await isHereNow()).toBe(0);
    await env.DB.prepare(expire).run();
    expect(await isHereNow()).toBe(1);
    await expect(fence.source.batch([])).rejects.toThrow(FenceLost);
  });

  test("of another reader stays until that reader removes it", async () => {
    await empty();
    const organization = (await fill({ rows: 1, seed: 6 })).at(-1) ?? "";
    const [first, second] = [new Fence(database, organization), new Fence(database, organization)];
    expect(await first.close()).toBe(true);
    const closing = second.close();
    await second.open();
    await first.source.batch([]);
    await first.open();
    expect(await closing).toBe(true);
    await first.open();
    await second.source.batch([]);
    await second.open();
  });

  test("of a workspace that is not here closes nothing", async () => {
    expect(await new Fence(database, crypto.randomUUID()).close()).toBe(false);
  });
});
