import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { walkPointers } from "../../src/access/walk";
import { jobHandlers } from "../../src/job-handlers";
import { contextIn } from "../../src/platform/context";
import { newId } from "../../src/platform/ids";
import { runJob } from "../../src/platform/jobs/run";
import { recurringId } from "../../src/platform/jobs/sweep";
import {
  callSeveral,
  expectSeveral,
  migrateSeveral,
  placeOf,
  registerSeveral,
  runJobs,
  setWalked,
  severalContext,
} from "../support/databases";

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });
const inFirst = {
  DATABASES: JSON.stringify([
    { name: "first", binding: "D1_FIRST" },
    { name: "second", binding: "D1_SECOND", state: "closed" },
  ]),
};

/** A member and a guest of an organization in the first database, from a time with one database. */
async function mintFormer() {
  const owner = await registerSeveral();
  const member = await registerSeveral();
  await env.D1_DIRECTORY.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(member.userId).run();
  const { id: organizationId } = await expectSeveral(made, 201, "POST", "/v1/orgs", {
    token: owner.token,
    vars: inFirst,
    body: { name: "Harbour" },
  });
  await expectSeveral(z.any(), 201, "POST", `/v1/orgs/${organizationId}/members`, {
    token: owner.token,
    body: { email: member.email, role: "member" },
  });
  await runJobs();
  await env.D1_DIRECTORY.batch([
    env.D1_DIRECTORY.prepare("DELETE FROM pointers WHERE workspace_id = ?").bind(organizationId),
    env.D1_DIRECTORY.prepare("DELETE FROM workspaces WHERE id = ?").bind(organizationId),
  ]);
  return { owner, member, organizationId };
}

/** Runs the walk to its end, without the pause between its passes. */
async function walk(): Promise<void> {
  const context = severalContext();
  const directory = contextIn(context, context.directoryName);
  if (directory === null) throw new Error("no directory");
  const id = recurringId(newId(), 1, Date.now());
  await runJob(directory, jobHandlers, id, { recurring: "walk-pointers" });
  await env.D1_DIRECTORY.prepare("UPDATE jobs SET run_at = 0 WHERE kind = 'walk-pointers'").run();
  await runJob(directory, jobHandlers, id);
}

test("what existed before a second database is found while the walk goes on, and afterwards by its pointers", async () => {
  const { owner, member, organizationId } = await mintFormer();
  const sees = async ({ token }: { token: string }) =>
    (await callSeveral("GET", `/v1/orgs/${organizationId}`, { token })).status;
  expect(await sees(member)).toBe(404);
  await setWalked(false);
  expect([await sees(owner), await sees(member)]).toEqual([200, 200]);
  const list = await expectSeveral(z.object({ items: z.array(made) }), 200, "GET", "/v1/orgs", { token: member.token });
  expect(list.items.map(({ id }) => id)).toEqual([organizationId]);
  await walk();
  expect(await placeOf(organizationId)).toBe("first");
  const { results } = await env.D1_DIRECTORY.prepare("SELECT user_id AS id FROM pointers WHERE workspace_id = ?")
    .bind(organizationId)
    .all<{ id: string }>();
  expect(results.map(({ id }) => id).sort()).toEqual([owner.userId, member.userId].sort());
  expect([await sees(owner), await sees(member)]).toEqual([200, 200]);
});

test("a pointer that is there stays, and with one database the walk counts no more", async () => {
  const { owner, organizationId } = await mintFormer();
  await env.D1_DIRECTORY.prepare("INSERT INTO pointers (user_id, workspace_id) VALUES (?, ?)")
    .bind(owner.userId, organizationId)
    .run();
  const version = () =>
    env.D1_DIRECTORY.prepare("SELECT version FROM pointers WHERE user_id = ? AND workspace_id = ?")
      .bind(owner.userId, organizationId)
      .first<number>("version");
  const before = await version();
  await walk();
  expect(await version()).toBe(before);
  const context = severalContext();
  const one = { ...context, databases: { ...context.databases, names: ["first"] } };
  const outcome = await walkPointers.run(one, { state: null } as never);
  await (outcome.kind === "complete" ? outcome.change : undefined)?.commit();
  expect(await env.D1_DIRECTORY.prepare("SELECT 1 FROM walks").first()).toBeNull();
  await setWalked(true);
});
