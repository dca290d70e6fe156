import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { grants } from "../../src/access/tables";
import { documents, textSections } from "../../src/documents/tables";
import { openDatabases } from "../../src/platform/db/database";
import { indexAssets } from "../../src/search/indexing/assets";
import { claimText, firstState, writeSlice } from "../../src/search/indexing/documents";
import { locations } from "../../src/workspace/tables";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPassages,
  mintPerson,
  mintVersion,
} from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { found, indexTenant, searchAs } from "./searching";

const { workspace: db } = openDatabases(env.DB);

async function indexed(texts: string[], fileName = "Plan.pdf") {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant);
  const documentId = await mintDocument(tenant, location, texts, { fileName });
  await indexTenant(organization.id);
  const { token } = await mintMember(organization.id);
  return { organization, tenant, location, documentId, token };
}

/** A second version whose text has been extracted. */
async function extractAgain(documentId: string, texts: string[]): Promise<void> {
  await mintVersion(documentId, 2, "Plan.pdf");
  await mintPassages(documentId, 2, texts);
  await db.update(documents).set({ latestVersion: 2, textVersion: 2 }).where(eq(documents.id, documentId));
}

const count = async (table: string, where = "1"): Promise<number> =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).first<number>("n")) ?? -1;

describe("the index", () => {
  test("replaces the text of a document and removes the old passages", async () => {
    const { documentId, token } = await indexed(["ancient granite", "older granite"]);
    await extractAgain(documentId, ["modern concrete"]);
    expect(await found(token, "granite ")).toHaveLength(2);
    await runThrough("index-document", [{ documentId }]);
    expect(await found(token, "granite ")).toEqual([]);
    expect(await found(token, "concrete ")).toEqual([`documentcontent:${documentId}.0`]);
    expect(await db.select().from(textSections).where(eq(textSections.documentId, documentId))).toHaveLength(1);
    expect(await count("search_entries", `resource_id = '${documentId}' AND type = 'text'`)).toBe(1);
  });

  test("keeps the old text searchable until the last slice of the new text", async () => {
    const { organization, documentId, token } = await indexed(["ancient granite"]);
    await extractAgain(
      documentId,
      Array.from({ length: 300 }, (_, i) => `modern concrete ${i}`),
    );
    const context = systemContext();
    let state = await firstState(context, organization.id, documentId, "a-run");
    let slices = 0;
    while (state?.step === "write") {
      expect(await found(token, "granite ")).toHaveLength(1);
      expect(await found(token, "concrete ")).toEqual([]);
      const outcome = await writeSlice(context, organization.id, state);
      await outcome.change?.commit();
      state = outcome.kind === "continue" ? (outcome.state as typeof state) : null;
      slices += 1;
    }
    expect(slices).toBe(3);
    expect(await found(token, "granite ")).toEqual([]);
    expect(await found(token, "concrete ")).toHaveLength(3);
  });

  test("prefers the run that started later", async () => {
    const { organization, documentId, token } = await indexed(["ancient granite"]);
    const context = systemContext();
    const older = await firstState(context, organization.id, documentId, "older");
    if (older?.step !== "write") throw new Error("nothing to index");
    const slow = await writeSlice(context, organization.id, older);
    await extractAgain(documentId, ["modern concrete"]);
    await runThrough("index-document", [{ documentId }]);
    await expect(slow.change?.commit()).rejects.toMatchObject({ code: "conflict" });
    expect(await found(token, "granite ")).toEqual([]);
    expect(await found(token, "concrete ")).toHaveLength(1);
  });

  test("a run stops when a later run indexes the same version", async () => {
    const { organization, documentId, token } = await indexed(["ancient granite"], "Before.pdf");
    const context = systemContext();
    const older = await firstState(context, organization.id, documentId, "older");
    if (older?.step !== "write") throw new Error("nothing to index");
    const slow = await writeSlice(context, organization.id, older);
    await db.update(documents).set({ fileName: "Afterwards.pdf" }).where(eq(documents.id, documentId));
    await runThrough("index-document", [{ documentId }]);
    await expect(slow.change?.commit()).rejects.toMatchObject({ code: "conflict" });
    expect(await found(token, "afterwards ", { scope: { resultTypes: ["DocumentContent"] } })).toHaveLength(1);
  });

  test("updates the passages after a rename and shows the new name at once", async () => {
    const { documentId, token } = await indexed(["ancient granite"], "Before.pdf");
    await db.update(documents).set({ fileName: "Afterwards.pdf" }).where(eq(documents.id, documentId));
    expect((await searchAs(token, "granite")).results[0]?.title).toBe("Afterwards.pdf");
    await runThrough("index-asset", [{ type: "document", id: documentId }]);
    expect(await found(token, "afterwards ")).toContain(`document:${documentId}`);
    expect(await found(token, "before ")).not.toContain(`document:${documentId}`);
  });

  test("hides a document that goes to the trash while a job indexes it", async () => {
    const { organization, documentId, token } = await indexed(["ancient granite"], "Granite.pdf");
    const trash = (deletedAt: number | null) =>
      db.update(documents).set({ deletedAt }).where(eq(documents.id, documentId));
    const change = await indexAssets(systemContext(), organization.id, "document", [documentId], "a-run");
    await trash(1);
    await change.commit();
    expect(await found(token, "granite ")).toEqual([]);
    await trash(null);
    expect(await found(token, "granite ")).toContain(`document:${documentId}`);
  });

  test("has no row of a deleted document, location or passage", async () => {
    const { documentId, location, token } = await indexed(["ancient granite"]);
    const keys = "SELECT key FROM search_entries WHERE resource_id";
    const [{ key } = { key: 0 }] = await env.DB.prepare(`${keys} = ? AND type = 'document'`)
      .bind(documentId)
      .all<{ key: number }>()
      .then((r) => r.results);
    await db.delete(textSections).where(eq(textSections.documentId, documentId));
    await env.DB.prepare("DELETE FROM document_versions WHERE document_id = ?").bind(documentId).run();
    await db.delete(documents).where(eq(documents.id, documentId));
    expect(await count("search_entries", `resource_id = '${documentId}'`)).toBe(0);
    expect(await count("search_rows", `id = ${-key}`)).toBe(0);
    await db.delete(locations).where(eq(locations.id, location.id));
    expect(await found(token, "granite ")).toEqual([]);
    expect(await count("search_entries", `resource_id = '${location.id}'`)).toBe(0);
  });

  test("a document without text has no run", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const documentId = await mintDocument(tenant, await mintLocation(tenant));
    expect(await claimText(systemContext(), organization.id, documentId, "run")).toBeNull();
    await runThrough("index-document", [{ documentId }]);
  });
});

describe("a removed resource", () => {
  test("is absent from the next search: deleted document, deleted location, ended grant", async () => {
    const { tenant, location, documentId, token } = await indexed(["ancient granite"]);
    const outsider = await mintPerson();
    const grantId = await mintGrant(tenant, outsider.userId, "document", documentId, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "document", id: documentId }]);
    expect(await found(outsider.token, "granite ")).toHaveLength(1);
    expect(await found(outsider.token, "granite ", { scope: { includeShared: false } })).toEqual([]);
    await db.delete(grants).where(eq(grants.id, grantId));
    expect(await found(outsider.token, "granite ")).toEqual([]);

    await db.update(documents).set({ deletedAt: Date.now() }).where(eq(documents.id, documentId));
    expect(await found(token, "granite ")).toEqual([]);
    await db.update(documents).set({ deletedAt: null }).where(eq(documents.id, documentId));
    await db.update(locations).set({ deletedAt: Date.now() }).where(eq(locations.id, location.id));
    expect(await found(token, "granite ")).toEqual([]);
  });
});
