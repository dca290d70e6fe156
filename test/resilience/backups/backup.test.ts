import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { filesOfRows, type Manifest, readContents, readManifests, rowFilesOf } from "../../../src/backups/format";
import { type Account, importWorkspace, matchPeople } from "../../../src/backups/import";
import { removeBackups } from "../../../src/backups/remove";
import { chooseBackup, restoreBackup } from "../../../src/backups/restore";
import type { Restoring } from "../../../src/backups/restoring";
import { type Backup, beginBackup, takeBackup } from "../../../src/backups/take";
import { OF_SERVICE, OF_WORKSPACE } from "../../../src/carried";
import { type BackupStore, openBackupStore } from "../../../src/platform/objects/backup-store";
import { DAY } from "../../../src/platform/time";
import { database, dumpAll, empty, emptyAsMigrated, fill, inSmallSlices, plan } from "../../platform/carry/world";
import fc, { scaled } from "../../support/properties";

const tables = { workspace: inSmallSlices(OF_WORKSPACE), service: inSmallSlices(OF_SERVICE) };
const store: BackupStore = openBackupStore(env.TEST_BACKUPS, () => env.BUCKET);

async function clearBucket(bucket: R2Bucket): Promise<void> {
  for (;;) {
    const { objects } = await bucket.list();
    if (objects.length === 0) return;
    await bucket.delete(objects.map(({ key }) => key));
  }
}

const namesIn = async (prefix = ""): Promise<string[]> => {
  const names: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: R2Objects = await env.TEST_BACKUPS.list({ prefix, ...(cursor !== undefined && { cursor }) });
    names.push(...page.objects.map(({ key }) => key));
    if (!page.truncated) return names;
    ({ cursor } = page);
  }
};

let now = Date.parse("2026-11-29T01:00:00Z");
const given = (more: Partial<Backup> = {}): Backup => {
  const from = { name: "first", source: database };
  return { store, tables, schema: "1", databases: [from], directory: from, mayContinue: () => true, now, ...more };
};

/** Takes a whole backup, in calls of this many steps. */
async function backUp(steps = Number.POSITIVE_INFINITY): Promise<Manifest> {
  for (let calls = 0; calls < 500; calls++) {
    let left = steps;
    const backup = given({ mayContinue: () => left-- > 0 });
    const manifest = await takeBackup(backup, await beginBackup(backup));
    if (manifest.completedAtUtc !== null) return manifest;
  }
  throw new Error("the backup came to no end");
}

const put: Restoring["putObject"] = async (name, { key }) => {
  const found = await env.TEST_BACKUPS.get(name);
  await env.BUCKET.put(key, await (found as R2ObjectBody).arrayBuffer());
};
const restoring = async (stamp?: string): Promise<Restoring> => {
  const manifest = await chooseBackup(store, stamp);
  return { store, manifest, tables, database, putObject: put };
};

/** Puts some of the objects that the rows of the world name. @returns their keys */
async function putObjects(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT key FROM stored_objects WHERE key NOT LIKE 'temp%' ORDER BY key LIMIT 4",
  ).all<{ key: string }>();
  const keys = results.map(({ key }) => key).filter((key) => new TextEncoder().encode(key).length < 900);
  for (const key of keys) await env.BUCKET.put(key, `bytes of ${key}`);
  return keys;
}

/** The jobs that a restore adds are not in the backup. */
const withoutIndexJobs = (lines: string[]) => lines.filter((line) => !line.includes('"request_id":"restore"'));

beforeEach(async () => {
  now += 40 * DAY;
  await empty();
  await clearBucket(env.TEST_BACKUPS);
});
afterAll(async () => {
  await emptyAsMigrated();
  await clearBucket(env.TEST_BACKUPS);
});

describe("a backup", () => {
  test("that is interrupted after each step restores the same rows and objects", async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.boolean(), async (one, isInterrupted) => {
        await empty();
        await clearBucket(env.TEST_BACKUPS);
        await fill(one, env.DB, true);
        const keys = await putObjects();
        const before = await dumpAll();
        const manifest = await backUp(isInterrupted ? 3 : undefined);
        expect(manifest.workspaces).toBeGreaterThan(1);
        await empty();
        await env.BUCKET.delete(keys);
        const { restored, present } = await restoreBackup(await restoring());
        expect([restored, present]).toEqual([manifest.workspaces, []]);
        expect(withoutIndexJobs(await dumpAll())).toEqual(before);
        for (const key of keys) expect(await (await env.BUCKET.get(key))?.text()).toBe(`bytes of ${key}`);
      }),
      { numRuns: scaled(2) },
    );
  });

  test("reads and writes only what has changed since the last one", async () => {
    const ids = await fill({ rows: 3, seed: 4 }, env.DB, true);
    await putObjects();
    await backUp();
    const before = new Set(await namesIn());
    now += DAY;
    await env.DB.prepare("UPDATE clusters SET revision = revision + 1 WHERE tenant_id = ?").bind(ids.at(-1)).run();
    const second = await backUp();
    const added = (await namesIn()).filter((name) => !before.has(name));
    const rows = added.filter((name) => name.startsWith("rows/"));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((name) => name.includes("/clusters-"))).toBe(true);
    expect(added.filter((name) => name.startsWith("objects/"))).toEqual([]);
    await empty();
    await restoreBackup(await restoring(second.stamp));
  });

  test("has an object that was missing in the last one", async () => {
    await fill({ rows: 2, seed: 9 }, env.DB, true);
    const first = await backUp();
    const keys = await putObjects();
    expect(keys.length).toBeGreaterThan(0);
    now += DAY;
    const second = await backUp();
    expect(second.missing).toBe(first.missing - keys.length);
    expect(await namesIn("objects/")).toHaveLength(2 * keys.length);
  });

  test("is removed when it is old, with what no later one has, and the last complete one stays", async () => {
    const ids = await fill({ rows: 3, seed: 21 }, env.DB, true);
    await putObjects();
    const first = await backUp();
    now += DAY;
    const organization = ids.at(-1) ?? "";
    await env.DB.prepare("DELETE FROM stored_objects WHERE tenant_id = ?").bind(organization).run();
    await env.DB.prepare("UPDATE locations SET revision = revision + 1 WHERE tenant_id = ?").bind(organization).run();
    const second = await backUp();
    const before = await dumpAll();
    // Each call removes one workspace.
    for (let calls = 0, isDone = false; !isDone; calls++) {
      expect(calls).toBeLessThan(100);
      let steps = 1;
      isDone = await removeBackups(store, now + DAY, () => steps-- > 0);
    }
    const left = await readManifests(store);
    expect(left.map(({ stamp }) => stamp)).toEqual([second.stamp]);
    const named = new Set<string>();
    for (const id of [...ids, "directory"])
      for (const { file, keys } of rowFilesOf(await readContents(store, second.stamp, id)))
        for (const ending of keys > 0 ? ["ndjson", "keys"] : ["ndjson"]) named.add(`rows/${file}.${ending}`);
    expect((await namesIn("rows/")).sort()).toEqual([...named].sort());
    expect(await namesIn(`workspaces/${first.stamp}/`)).toEqual([]);
    await empty();
    await restoreBackup(await restoring());
    expect(withoutIndexJobs(await dumpAll())).toEqual(before);
    expect(await removeBackups(store, now + 100 * DAY, () => true)).toBe(true);
    expect(await readManifests(store)).toHaveLength(1);
  });

  test("that nobody completes within a day is given up, and a later one begins again", async () => {
    await fill({ rows: 1, seed: 3 }, env.DB, true);
    const stopped = given({ mayContinue: () => false });
    const begun = await takeBackup(stopped, await beginBackup(stopped));
    expect(begun.completedAtUtc).toBeNull();
    now += 2 * DAY;
    const complete = await backUp();
    expect(complete.stamp).not.toBe(begun.stamp);
    await removeBackups(store, 0, () => true);
    expect((await readManifests(store)).map(({ stamp }) => stamp)).toEqual([complete.stamp]);
    expect((await namesIn()).filter((name) => name.includes(begun.stamp))).toEqual([]);
  });
});

describe("one workspace of a backup", () => {
  const dumpOf = async () => withoutIndexJobs(await dumpAll());

  test("comes back with its ids, beside other workspaces", async () => {
    const ids = await fill({ rows: 2, seed: 5 }, env.DB, true);
    const organization = ids.at(-1) ?? "";
    await backUp();
    await empty();
    await fill({ rows: 1, seed: 6 }, env.DB, true);
    const others = await dumpOf();
    const done = await importWorkspace(await restoring(), organization);
    expect(done).toMatchObject({ id: organization, isPresent: false, people: { matched: 0, apart: 0 } });
    const after = await dumpOf();
    expect(after.filter((line) => line.startsWith("organizations:") && line.includes(organization))).toHaveLength(1);
    const unchanged = others.filter((line) => !line.startsWith("notification_clock:"));
    expect(unchanged.filter((line) => !after.includes(line))).toEqual([]);
    expect(await importWorkspace(await restoring(), organization)).toMatchObject({ isPresent: true });
    expect(await dumpOf()).toEqual(after);
  });

  test("gives its rows to the people who have an account with the same verified address", async () => {
    const ids = await fill({ rows: 2, seed: 10 }, env.DB, true);
    const [organization = "", person = "", unverified = ""] = [ids.at(-1), ids[1], ids[2]];
    await env.DB.prepare("UPDATE users SET email_verified_at = 1, is_admin = 1").run();
    await env.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE id = ?").bind(unverified).run();
    const emails = (await env.DB.prepare("SELECT id, email FROM users").all<{ id: string; email: string }>()).results;
    const emailOf = (id: string) => emails.find((one) => one.id === id)?.email ?? "";
    await backUp();
    await empty();
    const [here, other] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const [id, email] of [
      [here, emailOf(person)],
      [other, emailOf(unverified)],
    ] as const)
      await env.DB.prepare(
        "INSERT INTO users (id, email, email_verified_at, display_name, created_at) VALUES (?, ?, 1, 'Here', 1)",
      )
        .bind(id, email)
        .run();
    const { people } = await importWorkspace(await restoring(), organization);
    expect(people).toEqual({ matched: 1, added: 1, apart: 1 });
    const members = await env.DB.prepare("SELECT user_id FROM memberships WHERE organization_id = ?")
      .bind(organization)
      .all<{ user_id: string }>();
    const found = members.results.map(({ user_id }) => user_id).sort();
    expect(found).toEqual([ids[0], here, unverified].sort());
    const users = await env.DB.prepare("SELECT id, is_admin FROM users ORDER BY id").all();
    expect(users.results).toEqual([ids[0] ?? "", here, other].sort().map((id) => ({ id, is_admin: 0 })));
  });

  test("of an export adds accounts without a verified address, and refers to no other workspace", async () => {
    const ids = await fill({ rows: 2, seed: 10 }, env.DB, true);
    const [organization = "", person = ""] = [ids.at(-1), ids[1]];
    await env.DB.prepare("UPDATE users SET email_verified_at = 1").run();
    await backUp();
    const email =
      (await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(person).first<string>("email")) ?? "";
    await empty();
    // An account with an address that it has not verified gets nothing.
    const here = crypto.randomUUID();
    await env.DB.prepare("INSERT INTO users (id, email, display_name, created_at) VALUES (?, ?, 'Here', 1)")
      .bind(here, email)
      .run();
    const given = { ...(await restoring()), isExport: true };
    const { people } = await importWorkspace(given, organization);
    expect(people).toMatchObject({ matched: 0, apart: 1 });
    const users = await env.DB.prepare("SELECT email_verified_at FROM users").all();
    expect(users.results.every((user) => user.email_verified_at === null)).toBe(true);

    // A grant of the file is for a location of somebody else here.
    const other = crypto.randomUUID();
    const contents = await readContents(store, given.manifest.stamp, organization);
    const slice = contents?.slices.find((one) => one.table === "grants" && one.rows !== null && one.rows > 0);
    if (contents === null || slice === undefined || slice.rows === null) throw new Error("the world has no grant");
    const [name] = filesOfRows(slice.kept.file ?? "");
    const at = given.tables.workspace
      .find(({ id }) => id === "grants")
      ?.columns.findIndex((one) => one.name === "target_id");
    const lines = ((await store.read(name)) ?? "").trim().split("\n");
    const values = JSON.parse(lines[0] ?? "") as unknown[];
    await store.write(name, `${[JSON.stringify(values.with(at ?? 0, other)), ...lines.slice(1)].join("\n")}\n`);
    await empty();
    await fill({ rows: 1, seed: 6 }, env.DB, true);
    await env.DB.prepare("UPDATE annotations SET id = ? WHERE id = (SELECT id FROM annotations LIMIT 1)")
      .bind(other)
      .run();
    const before = await dumpOf();
    await expect(importWorkspace(given, organization)).rejects.toThrow("belongs to another workspace");
    expect(await dumpOf()).toEqual(before);
  });

  test("that was interrupted is imported again from its beginning", async () => {
    const ids = await fill({ rows: 2, seed: 12 }, env.DB, true);
    const organization = ids.at(-1) ?? "";
    await backUp();
    await empty();
    await importWorkspace(await restoring(), organization);
    const whole = await dumpOf();
    await env.DB.prepare("UPDATE residents SET state = 'coming' WHERE workspace_id = ?").bind(organization).run();
    await env.DB.prepare("DELETE FROM annotations WHERE tenant_id = ?").bind(organization).run();
    await importWorkspace(await restoring(), organization);
    expect(await dumpOf()).toEqual(whole);
  });
});

test("people are matched by an id, or by an address that both have verified", async () => {
  const account = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    email: fc.constantFrom("1", "2", "3", "4"),
    verifiedAt: fc.option(fc.constant(1)),
  });
  const accounts = fc
    .uniqueArray(account, { selector: ({ id }) => id })
    .map((all) => all.filter(({ email }, n) => all.findIndex((one) => one.email === email) === n));
  fc.assert(
    fc.property(accounts, accounts, (theirs: Account[], ours: Account[]) => {
      const { renamed, matched, added, apart } = matchPeople(theirs, ours);
      for (const { id, email, verifiedAt } of theirs) {
        expect([matched, added, apart].filter((set) => set.has(id))).toHaveLength(1);
        const to = renamed.get(id);
        const same = ours.find((one) => one.email === email);
        if (to !== undefined) expect([to, verifiedAt, same?.verifiedAt]).toEqual([same?.id, 1, 1]);
        // A new account takes neither the id nor the address of another one.
        if (added.has(id)) expect(ours.some((one) => one.id === id || one.email === email)).toBe(false);
      }
      const targets = [...renamed.values()];
      expect(new Set(targets).size).toBe(targets.length);
    }),
  );
});
