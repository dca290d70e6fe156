import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { insertGrant, insertMembership, insertOrganization } from "../../../src/access/memberships";
import { prunePointer, withPointer } from "../../../src/access/pointers";
import { grants, memberships, workspaces } from "../../../src/access/tables";
import type { Context } from "../../../src/platform/context";
import { beginChange, beginDirectoryChange, type Change } from "../../../src/platform/db/change";
import { NO_WORKSPACE } from "../../../src/platform/db/residence";
import { newId, numberOf } from "../../../src/platform/ids";
import { contextOfDatabase, migrateSeveral } from "../../support/databases";
import { eventually } from "../../support/patience";
import fc from "../../support/properties";

/*
 * Pointers by exhaustion: every order in which the batches of two additions, a removal and a clean-up can commit. A process that
 * stops is one whose other batches come last. After each batch, nobody may hold anything without a pointer.
 */

beforeAll(migrateSeveral);

/** Work that runs from one gate to the next. */
function inSteps(work: (gate: () => Promise<void>) => Promise<void>) {
  let open: (() => void) | null = null;
  let reached: (() => void) | null = null;
  let failure: unknown;
  let isDone = false;
  let begun: Promise<void> | null = null;
  const gate = () =>
    new Promise<void>((resolve) => {
      open = resolve;
      reached?.();
    });
  return {
    /** Runs to the next gate, or to the end. */
    async step(): Promise<void> {
      if (isDone) return;
      const next = new Promise<void>((resolve) => {
        reached = resolve;
      });
      if (begun === null)
        begun = work(gate)
          .catch((thrown: unknown) => {
            failure = thrown;
          })
          .finally(() => {
            isDone = true;
            reached?.();
          });
      else open?.();
      await next;
      if (failure !== undefined) throw failure;
    },
    isDone: () => isDone,
  };
}

type Actor = ReturnType<typeof inSteps>;

/** A person of the directory, so that pointers have somebody. */
async function newPerson(): Promise<string> {
  const id = newId();
  await env.D1_DIRECTORY.prepare("INSERT INTO users (id, email, display_name, created_at) VALUES (?1, ?1, 'P', 0)")
    .bind(id)
    .run();
  return id;
}

async function newWorkspace(context: Context): Promise<string> {
  const id = newId();
  await beginDirectoryChange(context)
    .add(context.directory.insert(workspaces).values({ id, number: numberOf(id), database: context.database }))
    .commit();
  const limits = { cameras: true, externalShares: true, documentStorageBytes: 0, jobsPerMonth: 0, maxRetentionDays: 1 };
  const row = { id, name: "Harbour", revision: 1, recognizesScans: true, createdAt: 0, updatedAt: 0, ...limits };
  await beginChange(context, NO_WORKSPACE)
    .add(...insertOrganization(context, row))
    .commit();
  return id;
}

const adding = (context: Context, userId: string, workspaceId: string, insert: (change: Change) => Change): Actor =>
  inSteps(async (gate) => {
    await withPointer(context, userId, workspaceId, async (requirePointer) => {
      await gate();
      await insert(requirePointer(beginChange(context, workspaceId))).commit();
    });
  });

const removing = (context: Context, userId: string, workspaceId: string): Actor =>
  inSteps(async () => {
    await beginChange(context, workspaceId)
      .add(
        sql`DELETE FROM ${memberships} WHERE ${memberships.organizationId} = ${workspaceId} AND ${memberships.userId} = ${userId}`,
        sql`DELETE FROM ${grants} WHERE ${grants.userId} = ${userId} AND ${grants.tenantId} = ${workspaceId}`,
      )
      .commit();
  });

type Prune = (context: Context, userId: string, workspaceId: string) => AsyncIterable<unknown>;

const pruning = (prune: Prune, context: Context, userId: string, workspaceId: string): Actor =>
  inSteps(async (gate) => {
    for await (const _ of prune(context, userId, workspaceId)) await gate();
  });

/** What one would write first: nothing is held, so the pointer goes. */
async function* pruneNaively({ workspace, directory }: Context, userId: string, workspaceId: string) {
  const [held] = await workspace.all(
    sql`SELECT 1 FROM ${memberships} WHERE organization_id = ${workspaceId} AND user_id = ${userId}
      UNION SELECT 1 FROM ${grants} WHERE user_id = ${userId} AND tenant_id = ${workspaceId}`,
  );
  if (held !== undefined) return;
  yield "seen";
  await directory.run(sql`DELETE FROM pointers WHERE user_id = ${userId} AND workspace_id = ${workspaceId}`);
}

/** All orders of these numbers of steps. */
function ordersOf(left: Readonly<Record<string, number>>, begun = ""): string[] {
  const open = Object.keys(left).filter((key) => (left[key] ?? 0) > 0);
  if (open.length === 0) return [begun];
  return open.flatMap((key) => ordersOf({ ...left, [key]: (left[key] ?? 0) - 1 }, begun + key));
}

interface Held {
  held: boolean;
  pointer: boolean;
}

async function look(userId: string): Promise<Held> {
  const [pointer, held] = await Promise.all([
    env.D1_DIRECTORY.prepare("SELECT count(*) AS n FROM pointers WHERE user_id = ?").bind(userId).first<number>("n"),
    env.D1_SECOND.prepare(
      "SELECT (SELECT count(*) FROM memberships WHERE user_id = ?1) + (SELECT count(*) FROM grants WHERE user_id = ?1) AS n",
    )
      .bind(userId)
      .first<number>("n"),
  ]);
  return { pointer: (pointer ?? 0) > 0, held: (held ?? 0) > 0 };
}

/** Runs one order. @returns whether somebody held something without a pointer, and the state after the job has run again */
async function run(workspaceId: string, order: string, prune: Prune) {
  // An invocation may send 1,000 queries.
  const context = contextOfDatabase("second");
  const userId = await newPerson();
  const person = { id: userId, email: userId, displayName: "P", namedAt: 0 };
  const grant = {
    id: newId(),
    target: "cluster" as const,
    targetId: newId(),
    capabilities: {},
    grantedBy: null,
    createdAt: 0,
  };
  const given = { tenantId: workspaceId, organizationId: workspaceId, expiresAt: null };
  const membership = { organizationId: workspaceId, role: "member" as const, overrides: {}, createdAt: 0 };
  const actors: Record<string, Actor> = {
    a: adding(context, userId, workspaceId, (change) => change.add(...insertMembership(context, person, membership))),
    b: adding(context, userId, workspaceId, (change) =>
      change.add(...insertGrant(context, person, { ...grant, ...given })),
    ),
    r: removing(context, userId, workspaceId),
    p: pruning(prune, context, userId, workspaceId),
  };
  let [isLost, looks] = [false, 0];
  const step = async (key: string) => {
    await actors[key]?.step();
    const { held, pointer } = await look(userId);
    if (held && !pointer) isLost = true;
    looks++;
  };
  for (const key of order) await step(key);
  for (const [key, actor] of Object.entries(actors)) while (!actor.isDone()) await step(key);
  for await (const _ of prunePointer(context, userId, workspaceId));
  const last = await look(userId);
  return { isLost, looks, isExact: last.held === last.pointer };
}

const AT_ONCE = 16;

async function runAll(orders: readonly string[], prune: Prune) {
  const workspaceId = await newWorkspace(contextOfDatabase("second"));
  const results: Awaited<ReturnType<typeof run>>[] = [];
  for (let at = 0; at < orders.length; at += AT_ONCE)
    results.push(...(await Promise.all(orders.slice(at, at + AT_ONCE).map((order) => run(workspaceId, order, prune)))));
  return {
    lost: results.filter(({ isLost }) => isLost).length,
    inexact: results.filter(({ isExact }) => !isExact).length,
    looks: results.reduce((sum, { looks }) => sum + looks, 0),
  };
}

const ORDERS = ordersOf({ a: 2, b: 2, r: 1, p: 3 });

test("no order of the batches leaves a membership or grant without its pointer", async () => {
  expect(ORDERS).toHaveLength(1_680);
  const { lost, inexact, looks } = await runAll(ORDERS, prunePointer);
  expect({ lost, inexact }).toEqual({ lost: 0, inexact: 0 });
  expect(looks).toBeGreaterThanOrEqual(1_680 * 8);
}, 600_000);

test("the exhaustion finds a clean-up that notes no version", async () => {
  const some = fc.sample(fc.constantFrom(...ordersOf({ a: 2, b: 2, r: 1, p: 2 })), 60);
  expect((await runAll(some, pruneNaively)).lost).toBeGreaterThan(0);
}, 600_000);

test("a directory that was restored counts versions that the workspace has noted: the next pointer is later", async () => {
  const context = contextOfDatabase("second");
  const [workspaceId, userId] = [await newWorkspace(context), await newPerson()];
  await env.D1_SECOND.prepare("INSERT INTO pruned (workspace_id, user_id, version) VALUES (?, ?, ?)")
    .bind(workspaceId, userId, 1_000_000)
    .run();
  const person = { id: userId, email: userId, displayName: "P", namedAt: 0 };
  const membership = { organizationId: workspaceId, role: "member" as const, overrides: {}, createdAt: 0 };
  await withPointer(context, userId, workspaceId, (requirePointer) =>
    requirePointer(beginChange(context, workspaceId))
      .add(...insertMembership(context, person, membership))
      .commit(),
  );
  await eventually(async () => expect(await look(userId)).toEqual({ held: true, pointer: true }));
});
