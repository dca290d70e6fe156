import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { readBackupStatus } from "../../../src/backups";
import { idsOf, readContents, readManifests, slicesOf, stampOf } from "../../../src/backups/format";
import { jobHandlers } from "../../../src/job-handlers";
import type { Context } from "../../../src/platform/context";
import type { RecurringKind } from "../../../src/platform/jobs/kinds";
import { runJob } from "../../../src/platform/jobs/run";
import { openBackupStore } from "../../../src/platform/objects/backup-store";
import { DAY, HOUR } from "../../../src/platform/time";
import {
  contextOfDatabase,
  expectSeveral,
  migrateSeveral,
  organizationIn,
  registerSeveral,
  runJobs,
} from "../../support/databases";
import { beginMoveOf, runMove } from "../../support/moving";

/* The nightly job in the service with a directory of its own and two workspace databases. */

const store = openBackupStore(env.TEST_BACKUPS, () => env.BUCKET);
const contextAt = (now: number, given: Partial<Context> = {}): Context => ({
  ...contextOfDatabase("directory"),
  backups: store,
  now,
  ...given,
});

const hasWork = async (kind: "take-backup" | "watch-backups", context: Context): Promise<boolean> => {
  const found = await context.directory.get<{ has: number }>(sql`SELECT ${jobHandlers[kind].hasWork(context)} AS has`);
  return found.has === 1;
};

/** Runs a recurring job to its end. @returns the number of its slices */
async function runToEnd(kind: RecurringKind): Promise<number> {
  const id = crypto.randomUUID();
  for (let slices = 1; slices < 500; slices++) {
    const result = await runJob(contextAt(Date.now()), jobHandlers, id, slices === 1 ? { recurring: kind } : {});
    if (result === "succeeded") return slices;
    expect(result).toBe("continued");
  }
  throw new Error("the job came to no end");
}

const clear = async () => {
  await env.D1_DIRECTORY.prepare("DELETE FROM backups").run();
  for (let isEmpty = false; !isEmpty; ) {
    const { objects } = await env.TEST_BACKUPS.list();
    isEmpty = objects.length === 0;
    if (!isEmpty) await env.TEST_BACKUPS.delete(objects.map(({ key }) => key));
  }
};

beforeAll(async () => {
  await migrateSeveral();
  await clear();
});
afterAll(clear);

test("the nightly job backs up the workspaces of every database once a day, and says so", async () => {
  const { token, userId } = await registerSeveral();
  const ids = [userId];
  for (const name of ["One", "Two", "Three", "Four"])
    ids.push(
      (await expectSeveral(z.object({ id: z.string() }), 201, "POST", "/v1/orgs", { token, body: { name } })).id,
    );
  await runJobs();
  const context = contextAt(Date.now());
  expect(await hasWork("take-backup", context)).toBe(true);
  expect(await hasWork("take-backup", { ...context, backups: null })).toBe(false);
  expect(await readBackupStatus({ ...context, backups: null })).toBeNull();
  expect(await readBackupStatus(context)).toEqual({ last: null, current: null, isOverdue: false });
  await runToEnd("take-backup");
  const [manifest] = await readManifests(store);
  const found = await Array.fromAsync(idsOf(store, manifest?.stamp ?? ""));
  expect(found).toEqual(expect.arrayContaining([...ids, "directory"]));
  expect(await readBackupStatus(context)).toMatchObject({
    last: { workspaces: found.length - 1, rows: manifest?.rows },
    current: null,
    isOverdue: false,
  });
  expect(await hasWork("take-backup", contextAt(Date.now()))).toBe(false);
  expect(await hasWork("take-backup", contextAt(Date.now() + DAY))).toBe(true);
});

test.each(["first", "second"])("a workspace that has moved out of %s is backed up where it is, once", async (place) => {
  await clear();
  const { token } = await registerSeveral();
  const id = await organizationIn(place, token);
  const rows = async () => {
    await runToEnd("take-backup");
    const [manifest] = await readManifests(store);
    const contents = await readContents(store, manifest?.stamp ?? "", id);
    const listed = await Array.fromAsync(idsOf(store, manifest?.stamp ?? ""));
    await clear();
    expect(manifest?.workspaces).toBe(listed.length - 1);
    return contents === null ? 0 : slicesOf(contents).reduce((sum, slice) => sum + slice.rows, 0);
  };
  await runJobs();
  const before = await rows();
  expect(before).toBeGreaterThan(0);
  await runMove((await beginMoveOf(id)).id);
  expect(await rows()).toBeGreaterThanOrEqual(before);
});

test("a backup stays for its days, and the next ones share its files", async () => {
  await clear();
  const began = Date.now();
  const ages = async () =>
    (await readManifests(store)).map(({ startedAtUtc }) => (Date.parse(startedAtUtc) - began) / DAY);
  const rows = () => env.D1_DIRECTORY.prepare("SELECT count(*) AS n FROM backups").first("n");
  onTestFinished(() => void vi.useRealTimers());
  for (const [day, kept] of [
    [0, [0]],
    [20, [0, 20]],
    [31, [20, 31]],
    [100, [100]],
  ] as const) {
    vi.useFakeTimers({ toFake: ["Date"], now: began + day * DAY });
    await runToEnd("take-backup");
    expect(await ages()).toEqual(kept);
    expect(await rows()).toBe(kept.length);
  }
});

test("the log has an error while the last complete backup is too old", async () => {
  const now = Date.now();
  const insert = (startedAt: number, completedAt: number | null) =>
    env.D1_DIRECTORY.prepare("INSERT OR REPLACE INTO backups VALUES (?, ?, ?, ?, 1, 1, 1, 0)")
      .bind(stampOf(startedAt), startedAt, startedAt, completedAt)
      .run();
  await clear();
  expect(await hasWork("watch-backups", contextAt(now))).toBe(false);
  await insert(now - 30 * HOUR, now - 27 * HOUR);
  expect(await hasWork("watch-backups", contextAt(now))).toBe(true);
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  await runToEnd("watch-backups");
  const lines = errors.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string; level: string });
  errors.mockRestore();
  expect(lines).toContainEqual(expect.objectContaining({ level: "error", event: "backup.overdue" }));
  // A backup that is under way is not complete; a later one that is complete ends the error.
  await insert(now - HOUR, null);
  expect(await hasWork("watch-backups", contextAt(now))).toBe(true);
  expect(await readBackupStatus(contextAt(now))).toMatchObject({ current: { completedAtUtc: null }, isOverdue: true });
  await insert(now - HOUR, now - HOUR / 2);
  expect(await hasWork("watch-backups", contextAt(now))).toBe(false);
});
