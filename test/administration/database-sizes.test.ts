import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { tellDatabaseLevel, watchDatabases } from "../../src/administration/sizes/sizes";
import { type Context, contextIn } from "../../src/platform/context";
import { MAX_DATABASE_BYTES } from "../../src/platform/db/database";
import type { Mail } from "../../src/platform/mail";
import { DAY } from "../../src/platform/time";
import { databaseOf, expectSeveral, migrateSeveral, registerIn, runJobs, severalContext } from "../support/databases";

beforeAll(migrateSeveral);

/** A database that says that it has this size. */
function ofSize(database: D1Database, bytes: number): D1Database {
  const sized = <R extends D1Result>(result: R): R => ({ ...result, meta: { ...result.meta, size_after: bytes } });
  return new Proxy(database, {
    get(target, name) {
      if (name !== "withSession") return Reflect.get(target, name);
      return (...given: []) => {
        const session = target.withSession(...given);
        return new Proxy(session, {
          get: (one, key) => {
            if (key === "batch") return async (all: D1PreparedStatement[]) => (await one.batch(all)).map(sized);
            const found: unknown = Reflect.get(one, key);
            return typeof found === "function" ? found.bind(one) : found;
          },
        });
      };
    },
  });
}

/** The context of a job of the directory at a time. The second database has this share of its largest size. */
function directoryAt(now: number, percent: number): Context {
  const bytes = (percent / 100) * MAX_DATABASE_BYTES;
  const through = (database: D1Database) => (database === env.D1_SECOND ? ofSize(database, bytes) : database);
  const there = contextIn(severalContext(through), "directory");
  if (there === null) throw new Error("no directory");
  return { ...there, now };
}

test("administrators are told of each level once, in the inbox and by mail, and see the growth", async () => {
  const admins = [await registerIn("first"), await registerIn("second")];
  for (const { userId } of admins)
    await env.D1_DIRECTORY.prepare("UPDATE users SET is_admin = 1, email_verified_at = 1 WHERE id = ?")
      .bind(userId)
      .run();
  const other = await registerIn("second");
  await runJobs();
  const mails: Mail[] = [];
  const mailer = async (mail: Mail) => mails.push(mail) > 0;
  const open = async () => {
    const { results } = await env.D1_DIRECTORY.prepare(
      "SELECT id, payload, state FROM jobs WHERE kind = 'tell-database-level' AND status = 'queued'",
    ).all<{ id: string; payload: string }>();
    return results;
  };
  /** Measures on a day, and tells what is to be told: each slice runs twice, as after a kill. */
  const watch = async (now: number, percent: number) => {
    const context = directoryAt(now, percent);
    const job = {
      id: "",
      tenantId: null,
      attempts: 1,
      progress: { done: 0, total: 0 },
      requestedBy: null,
      state: null,
    };
    await watchDatabases.run(context, { ...job, kind: "watch-databases", payload: {} });
    const found = await open();
    for (const { id, payload } of found) {
      const told = { ...job, id, kind: "tell-database-level" as const, payload: JSON.parse(payload) };
      for (let state: unknown = null; ; ) {
        if (state !== null && (state as { step: string }).step === "inbox")
          await tellDatabaseLevel.run({ ...context, mailer }, { ...told, state });
        const outcome = await tellDatabaseLevel.run({ ...context, mailer }, { ...told, state });
        if (outcome.kind === "complete") break;
        state = outcome.state;
      }
      await env.D1_DIRECTORY.prepare("DELETE FROM jobs WHERE id = ?").bind(id).run();
    }
    await runJobs();
    return found.length;
  };
  const inbox = z.object({ items: z.array(z.object({ type: z.string(), title: z.string() })) });
  const titles = async (token: string) => {
    const { items } = await expectSeveral(inbox, 200, "GET", "/v1/notifications?limit=100", { token });
    return items.filter(({ type }) => type === "database-level").map(({ title }) => title);
  };

  // A job of a later time would not be due.
  const begin = Date.now() - 9 * DAY;
  expect(await watch(begin, 59)).toBe(0);
  expect(await watch(begin + DAY, 60)).toBe(1);
  expect(await watch(begin + 2 * DAY, 61)).toBe(0);
  for (const { token } of admins) expect(await titles(token)).toEqual(["The database second is 60% full"]);
  expect(await titles(other.token)).toEqual([]);
  expect(mails.map(({ to }) => to).sort()).toEqual(admins.map(({ email }) => email).sort());
  expect(mails[0]?.subject).toBe("The database second is 60% full");
  expect(await watch(begin + 3 * DAY, 85)).toBe(1);
  expect(await watch(begin + 4 * DAY, 50)).toBe(0);
  expect(await watch(begin + 5 * DAY, 85)).toBe(0);
  for (const { token } of admins) expect(await titles(token)).toHaveLength(2);
  expect(mails).toHaveLength(4);

  const kept = await databaseOf("directory")
    .prepare("SELECT count(*) AS days FROM database_sizes WHERE database = 'second'")
    .first<number>("days");
  expect(kept).toBe(6);
});
