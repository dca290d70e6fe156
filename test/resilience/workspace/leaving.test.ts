import { env } from "cloudflare:workers";
import { and, eq, inArray, like } from "drizzle-orm";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { organizations, removals } from "../../../src/access/tables";
import { workspaceExportSchema } from "../../../src/exports/exports";
import { workspaceExports } from "../../../src/exports/tables";
import { jobHandlers } from "../../../src/job-handlers";
import { newId } from "../../../src/platform/ids";
import type { JobKind } from "../../../src/platform/jobs/kinds";
import { runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { DAY } from "../../../src/platform/time";
import { storedObjects } from "../../../src/uploads/tables";
import { deleteAccount } from "../../../src/workspace/members/account";
import { call, expectJson } from "../../support/call";
import { ALIVE, type Death, dying, type Process, stepsToDie } from "../../support/deaths";
import { uploadDocument } from "../../support/documents";
import { addMember, mintCluster, mintLocation, mintOrganization, mintPerson, mintPlace } from "../../support/factories";
import { insertJob } from "../../support/job-rows";
import { LONG_PATIENCE } from "../../support/patience";
import { tablesWith } from "../../support/removal";
import { testDatabase } from "../../support/statements";

/* A process that dies at any step of leaving loses nothing of the organization that stays, and leaves nothing of what goes. */

/** Runs the jobs that name this id, and those that they queue, until none is left. A dead process has no lease any more. */
async function work(process: Process, id: string, kinds: readonly JobKind[]): Promise<void> {
  const open = and(
    like(jobs.payload, `%${id}%`),
    inArray(jobs.kind, [...kinds]),
    inArray(jobs.status, ["queued", "running"]),
  );
  for (let n = 0; n < 60; n++) {
    await testDatabase()
      .update(jobs)
      .set({ runAt: 1, leaseUntil: 1 })
      .where(and(open, eq(jobs.status, "running")));
    await testDatabase().update(jobs).set({ runAt: 1 }).where(open);
    const [next] = await testDatabase().select({ id: jobs.id }).from(jobs).where(open).limit(1);
    if (next === undefined) return;
    await runJob(process.open(), jobHandlers, next.id);
  }
  throw new Error("the jobs do not end");
}

const WHEN = ["before", "after"] as const;

/** Deaths of a story, before and after a step each: a story has more than a hundred steps of a few kinds. */
const MAX_DEATHS = 12;

/** Runs the story once without a death, and then with deaths at steps from its beginning to its end. */
async function atEachStep(story: (death: Death | null) => Promise<number>): Promise<void> {
  const steps = await story(null);
  expect(steps).toBeGreaterThan(8);
  for (const [first, when] of WHEN.entries()) {
    const all = stepsToDie(steps, first);
    const stride = Math.ceil(all.length / MAX_DEATHS);
    for (const step of all.filter((_, n) => n % stride === first % stride)) await story({ step, when });
  }
}

describe("wherever its process dies", () => {
  test(
    "the removal of an organization with an export ends without a row or an object, and with one receipt",
    () =>
      atEachStep(async (death) => {
        const { id } = await mintOrganization();
        await mintLocation({ organizationId: id });
        const [exportId, now] = [newId(), Date.now()];
        await testDatabase()
          .insert(workspaceExports)
          .values({
            ...{ id: exportId, tenantId: id, organizationId: id, userId: id, status: "ready", hasImages: false },
            ...{ cameraIds: null, fromAt: null, toAt: null, expectedFiles: 0, expectedBytes: 0, done: 1 },
            ...{ createdAt: now, expiresAt: now + DAY },
          });
        for (const key of [`exports/${id}/${exportId}/1`, `${id}/documents/a.txt`]) {
          await env.BUCKET.put(key, "bytes");
          await testDatabase().insert(storedObjects).values({ key, tenantId: id, chargedBytes: 0, createdAt: now });
        }
        await testDatabase()
          .update(organizations)
          .set({ deletedAt: 1, purgeAt: 1, removalAt: 1 })
          .where(eq(organizations.id, id));
        await insertJob({ kind: "remove-workspace", payload: { workspaceId: id } });
        const steps = await dying(death, (process) => work(process, id, ["remove-workspace"]));
        await work(ALIVE, id, ["remove-workspace", "announce"]);
        const what = { death, id };
        const left = (await tablesWith(id)).filter(
          (name) => !["workspaces", "removals", "removal_owners"].includes(name),
        );
        const { objects } = await env.BUCKET.list({ prefix: `exports/${id}/` });
        const own = await env.BUCKET.list({ prefix: `${id}/` });
        expect({ what, left, objects: [...objects, ...own.objects].length }).toEqual({ what, left: [], objects: 0 });
        const [receipt] = await testDatabase().select().from(removals).where(eq(removals.workspaceId, id));
        expect({ what, receipt }).toMatchObject({
          receipt: {
            finishedAt: expect.any(Number),
            contents: expect.arrayContaining([{ kind: "members", count: 1, bytes: null }]),
          },
        });
        return steps;
      }),
    3 * LONG_PATIENCE,
  );

  test(
    "the deletion of an account happened whole, or a repeat makes it whole",
    () =>
      atEachStep(async (death) => {
        const { id } = await mintOrganization();
        const { userId, email } = await mintPerson();
        await addMember(id, userId, "member");
        await mintCluster({ ownerUserId: userId });
        const caller = { kind: "external", issuer: "i", userId, isAdmin: false, expiresAt: null } as const;
        const facts = { memberships: [], grants: [], limits: { organizationIds: null, ceiling: null } };
        const links = { revoke: async () => ({ linksRevoked: 0, links: [] }) };
        const remove = ({ open }: { open: () => ReturnType<Process["open"]> }) => {
          const context = open();
          const signedInAt = context.now;
          const own = { ...caller, facts, signedInAt } as unknown as typeof context.caller;
          return deleteAccount({ ...context, caller: own }, { revokeShareLinks: false }, links);
        };
        const kinds = ["delete-account", "remove-workspace", "announce"] as const;
        const steps = await dying(death, async (process) => {
          await remove({ open: () => process.open() });
          await work(process, userId, kinds);
        });
        await work(ALIVE, userId, kinds);
        const count = async (statement: string) =>
          (await env.DB.prepare(`SELECT count(*) AS n FROM ${statement}`).bind(userId).first<{ n: number }>())?.n;
        const state = async () => [
          await count("users WHERE id = ?"),
          await count("memberships WHERE user_id = ?"),
          await count("clusters WHERE tenant_id = ?"),
        ];
        const found = await state();
        const what = { death, userId };
        expect({ what, found, isWhole: ["1,1,1", "0,0,0"].includes(found.join(",")) }).toMatchObject({ isWhole: true });
        await remove({ open: () => ALIVE.open() });
        await work(ALIVE, userId, kinds);
        expect({ what, after: await state(), left: await tablesWith(email) }).toEqual({
          what,
          after: [0, 0, 0],
          left: [],
        });
        return steps;
      }),
    3 * LONG_PATIENCE,
  );
});

describe("wherever the process of its preparation dies", () => {
  let owner: Awaited<ReturnType<typeof mintPlace>>["owner"];
  let organizationId: string;
  beforeAll(async () => {
    const place = await mintPlace();
    ({ owner, organizationId } = place);
    for (const name of ["one", "two"])
      await uploadDocument(owner.token, place.locationId, { fileName: `${name}.txt`, bytes: name });
  });

  test(
    "an export is ready with all its files",
    () =>
      atEachStep(async (death) => {
        const [id, now] = [newId(), Date.now()];
        await testDatabase()
          .insert(workspaceExports)
          .values({
            ...{
              id,
              tenantId: organizationId,
              organizationId,
              userId: owner.userId,
              status: "queued",
              hasImages: false,
            },
            ...{ cameraIds: null, fromAt: null, toAt: null, expectedFiles: 2, expectedBytes: 6, done: 0 },
            ...{ createdAt: now, expiresAt: now + DAY },
          });
        await insertJob({ kind: "prepare-workspace-export", tenantId: organizationId, payload: { exportId: id } });
        const steps = await dying(death, (process) => work(process, id, ["prepare-workspace-export"]));
        await work(ALIVE, id, ["prepare-workspace-export"]);
        const path = `/v1/orgs/${organizationId}/exports/${id}`;
        const made = await expectJson(workspaceExportSchema, 200, "GET", path, owner);
        expect({ death, made }).toMatchObject({ made: { status: "ready", fileCount: 2 } });
        const zip = new Uint8Array(await (await call("GET", made.downloadUrl ?? "")).arrayBuffer());
        const names = Object.keys(unzipSync(zip)).filter((name) => name.startsWith("documents/"));
        expect({ death, bytes: zip.length, documents: names.length }).toEqual({
          death,
          bytes: made.totalBytes,
          documents: 2,
        });
        expect((await call("DELETE", path, owner)).status).toBe(204);
        return steps;
      }),
    3 * LONG_PATIENCE,
  );
});
