import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { documents } from "../../src/documents/tables";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPassages,
  mintVersion,
} from "../support/factories";
import { runThrough } from "../support/jobs";
import { testDatabase } from "../support/statements";
import { REPORTS } from "./languages";
import { indexTenant, searchAs } from "./searching";

const exactly = { correct: false, scope: { resultTypes: ["Document" as const] } };
const titled = async (token: string, term: string): Promise<string[]> =>
  (await searchAs(token, term, exactly)).results.map(({ markedTitle }) => markedTitle).sort();

/** A workspace with a photo whose name shows no language, beside a text in a language. */
async function photoBeside(text: string) {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const [near, far] = [await mintLocation(tenant), await mintLocation(tenant)];
  await mintDocument(tenant, far, [text]);
  await indexTenant(organization.id);
  const photo = await mintDocument(tenant, near, [], { fileName: "Stützen Nord.jpg" });
  await indexTenant(organization.id);
  return { organization, tenant, photo };
}

describe("the title of a document", () => {
  test("has the language of its text, even after the text changes to another language", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant);
    const fileName = "Fugen Stützen.pdf";
    const id = await mintDocument(tenant, location, [REPORTS.german.text], { fileName });
    await mintDocument(tenant, location, [REPORTS.german.text]);
    await indexTenant(organization.id);
    const { token } = organization.owner;
    expect(await titled(token, "Stütze ")).toEqual(["Fugen <mark>Stützen</mark>.pdf"]);
    expect(await titled(token, "Fuge ")).toEqual(["<mark>Fugen</mark> Stützen.pdf"]);
    await mintVersion(id, 2, fileName);
    await mintPassages(id, 2, [REPORTS.english.text]);
    await testDatabase().update(documents).set({ latestVersion: 2, textVersion: 2 }).where(eq(documents.id, id));
    await indexTenant(organization.id);
    expect(await titled(token, "Stütze ")).toEqual([]);
    expect(await titled(token, "Stützen ")).toEqual(["Fugen <mark>Stützen</mark>.pdf"]);
  });

  test("without a text has the language of the texts of its workspace", async () => {
    const { organization } = await photoBeside(REPORTS.german.text);
    expect(await titled(organization.owner.token, "Stütze ")).toEqual(["<mark>Stützen</mark> Nord.jpg"]);
    const other = await photoBeside(REPORTS.english.text);
    expect(await titled(other.organization.owner.token, "Stütze ")).toEqual([]);
  });

  test("that is shared alone tells a guest nothing about the language of other texts", async () => {
    const learnt = await Promise.all(
      [REPORTS.german.text, REPORTS.english.text].map(async (text) => {
        const { organization, tenant, photo } = await photoBeside(text);
        const guest = await mintMember(organization.id, "guest");
        await mintGrant(tenant, guest.userId, "document", photo, { Documents: "Read" });
        await runThrough("index-shared", [{ target: "document", id: photo }]);
        const asked = ["Stütze ", "Stuetzen ", "Stützen ", "stütz", "Stütsen "].map(async (term) => {
          const { results, correctedTerm } = await searchAs(guest.token, term);
          return { term, correctedTerm, found: results.map(({ score, markedTitle }) => [score, markedTitle]) };
        });
        return Promise.all(asked);
      }),
    );
    expect(learnt[0]).toEqual(learnt[1]);
    expect(learnt[0]?.[2]?.found.length).toBe(1);
  });

  test("in hexadecimal digits adds no language to a workspace", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant);
    const hex = Array.from({ length: 40 }, (_, i) => `${(0xdeadbeef * (i + 1)).toString(16)}.txt`);
    for (const fileName of hex) await mintDocument(tenant, location, [], { fileName });
    await mintDocument(tenant, location, [REPORTS.english.text], { fileName: "pots.txt" });
    await indexTenant(organization.id);
    expect(await titled(organization.owner.token, "poets ")).toEqual([]);
  });
});
