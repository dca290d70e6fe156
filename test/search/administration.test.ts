import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { documents, textSections } from "../../src/documents/tables";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { indexStatusSchema, taskSchema } from "../../src/search/admin/tasks";
import { searchEntries } from "../../src/search/tables";
import { call, expectJson } from "../support/call";
import {
  mintAnnotation,
  mintDocument,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
} from "../support/factories";
import { jobsEnded } from "../support/jobs";
import { eventually } from "../support/patience";
import { found, searchAs } from "./searching";

const { workspace: db } = openDatabases(env.DB);

async function library() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant, { name: "Gantry yard" });
  const documentId = await mintDocument(tenant, location, ["A gantry crane", "with two rails"], {
    fileName: "Crane.pdf",
  });
  const annotationId = await mintAnnotation(tenant, location, { title: "Gantry rust" });
  const [member, admin] = await Promise.all([mintMember(organization.id), mintPerson({ isAdmin: true })]);
  return { tenant, location, documentId, annotationId, member, admin };
}

const start = async (token: string, path: string) => {
  const task = await expectJson(taskSchema, 202, "POST", `/v1/search/index/${path}`, { token });
  await jobsEnded([task.id]);
  return task;
};

describe("administration", () => {
  test("the status counts documents with unreadable text as failed, and other formats as unsupported", async () => {
    const { tenant, location, admin } = await library();
    const status = () => expectJson(indexStatusSchema, 200, "GET", "/v1/search/index/status", { token: admin.token });
    const before = await status();
    for (const textStatus of ["encrypted", "damaged", "unknown-charset", "failed", "unsupported"] as const) {
      const id = await mintDocument(tenant, location, [], { fileName: `${textStatus}.txt` });
      await db.update(documents).set({ textStatus }).where(eq(documents.id, id));
    }
    const after = await status();
    expect(after.documents.failed - before.documents.failed).toBe(4);
    expect(after.documents.unsupported - before.documents.unsupported).toBe(1);
  });

  test("status, indexing one document and backfills repair an incomplete index", async () => {
    const { location, documentId, annotationId, member, admin } = await library();
    expect((await searchAs(member.token, "gantry")).results).toEqual([]);
    const before = await expectJson(indexStatusSchema, 200, "GET", "/v1/search/index/status", { token: admin.token });
    expect(before.documents.pending).toBeGreaterThan(0);
    expect(before.assets.pending).toBeGreaterThan(0);

    await start(admin.token, `documents/${documentId}`);
    await eventually(async () =>
      expect(await found(member.token, "crane ")).toEqual([
        `document:${documentId}`,
        `documentcontent:${documentId}.0`,
      ]),
    );

    await start(admin.token, "assets/backfill");
    expect(new Set(await found(member.token, "gantry"))).toEqual(
      new Set([`location:${location.id}`, `spatialmetadata:${annotationId}`, `documentcontent:${documentId}.0`]),
    );
    const task = await start(admin.token, "backfill");
    const after = await expectJson(indexStatusSchema, 200, "GET", "/v1/search/index/status", { token: admin.token });
    const shown = after.tasks.find(({ id }) => id === task.id);
    expect(shown).toMatchObject({ kind: "backfill-documents", status: "succeeded", error: null });
    expect(shown?.progress.done).toBe(shown?.progress.total);
    expect(after.documents.pending).toBe(0);
    expect(after.assets.pending).toBe(0);
  });

  test("a backfill indexes assets of the maximum size", async () => {
    const { tenant, location, member, admin } = await library();
    const letters = "bcdfghjklmnpqrst";
    const word = (n: number) => `${letters[n >> 8]}${letters[(n >> 4) & 15]}${letters[n & 15]}`;
    for (let n = 0; n < 60; n++) {
      const body = Array.from({ length: 4_096 }, (_, i) => `${word(n)}${word(i)}`)
        .join(" ")
        .slice(0, 20_000);
      await mintAnnotation(tenant, location, { title: `Ledger ${n}`, body });
    }
    await start(admin.token, "assets/backfill");
    expect((await searchAs(member.token, "ledger", { limit: 100 })).results).toHaveLength(60);
  });

  test("a backfill changes no result, and the index is complete at every moment", async () => {
    const { member, admin, documentId, tenant, location } = await library();
    await mintDocument(
      tenant,
      location,
      Array.from({ length: 150 }, (_, i) => `gantry beam ${i}`),
      { fileName: "Beams.pdf" },
    );
    await start(admin.token, "assets/backfill");
    await start(admin.token, "backfill");
    const long = async () => expect(await found(member.token, "beam ")).toHaveLength(4);
    await eventually(long);
    const expected = (await searchAs(member.token, "gantry")).results;
    const running = [
      start(admin.token, "backfill"),
      start(admin.token, "backfill"),
      start(admin.token, "assets/backfill"),
    ];
    let finished = false;
    const all = Promise.all(running).then(() => {
      finished = true;
    });
    do expect((await searchAs(member.token, "gantry")).results).toEqual(expected);
    while (!finished);
    await all;
    expect((await searchAs(member.token, "gantry")).results).toEqual(expected);
    expect(await db.select().from(textSections).where(eq(textSections.documentId, documentId))).toHaveLength(2);
    expect(await db.select().from(searchEntries).where(eq(searchEntries.resourceId, documentId))).toHaveLength(2);
  });

  test("only platform administrators index documents, and only existing ones", async () => {
    const { member, admin, documentId } = await library();
    for (const path of [`documents/${documentId}`, "backfill", "assets/backfill"])
      expect((await call("POST", `/v1/search/index/${path}`, { token: member.token })).status).toBe(403);
    expect((await call("GET", "/v1/search/index/status", { token: member.token })).status).toBe(403);
    expect((await call("POST", `/v1/search/index/documents/${newId()}`, { token: admin.token })).status).toBe(404);
  });
});
