import { describe, expect, test } from "vitest";
import { suggestionsResponse } from "../../src/search/schemas";
import { expectJson } from "../support/call";
import { mintDocument, mintGrant, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { runThrough } from "../support/jobs";
import { indexTenant, searchAs } from "./searching";

const suggestionsAs = async (token: string, term: string) =>
  (await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", { token, body: { term } })).suggestions;

async function library() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant, { name: "Concourse" });
  const hidden = await mintLocation(tenant, { name: "Conspiracy" });
  const first = await mintDocument(tenant, location, ["concrete construction", "the concrete pier"], {
    fileName: "Contract 7.pdf",
  });
  await mintDocument(tenant, location, ["concrete abutment continues"], { fileName: "Survey of piers.pdf" });
  await mintDocument(tenant, hidden, ["confidential concretion"], { fileName: "Confession.pdf" });
  await indexTenant(organization.id);
  const member = await mintMember(organization.id, "guest");
  return { organization, tenant, location, hidden, first, member };
}

describe("suggestions", () => {
  test("complete the last word and name resources, only from visible resources", async () => {
    const { tenant, location, organization, first, member } = await library();
    expect(await suggestionsAs(member.token, "con")).toEqual([]);
    expect(await suggestionsAs(member.token, "concrete con")).toEqual([]);
    await mintGrant(tenant, member.userId, "location", location.id, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "location", id: location.id }]);
    expect(await suggestionsAs(member.token, "New con")).toEqual([
      { text: "New Contract", resultType: null, resultId: null },
      { text: "New Concourse", resultType: null, resultId: null },
      { text: "New concrete", resultType: null, resultId: null },
      { text: "New construction", resultType: null, resultId: null },
      { text: "New continues", resultType: null, resultId: null },
    ]);
    expect(await suggestionsAs(member.token, "con")).toEqual(
      expect.arrayContaining([
        { text: "Concourse", resultType: "Location", resultId: `location:${location.id}` },
        { text: "Contract 7.pdf", resultType: "Document", resultId: `document:${first}` },
      ]),
    );
    expect(await suggestionsAs(member.token, "survey pi")).toContainEqual(
      expect.objectContaining({ text: "Survey of piers.pdf", resultType: "Document" }),
    );
    const texts = (await suggestionsAs(organization.owner.token, "confid")).map(({ text }) => text.toLowerCase());
    expect(texts).toContain("confidential");
  });

  test("name the newest resource first, whatever was indexed last", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant, { name: "Sluice of the east" });
    await mintDocument(tenant, location, ["water"], { fileName: "Sluice plan" });
    await mintLocation(tenant, { name: "Sluice of the west" });
    await mintDocument(tenant, location, ["water"], { fileName: "Sluice survey" });
    await indexTenant(organization.id);
    const titles = (await suggestionsAs(organization.owner.token, "sluice ")).flatMap(({ resultId, text }) =>
      resultId === null ? [] : [text],
    );
    expect(titles).toEqual(["Sluice survey", "Sluice of the west", "Sluice plan", "Sluice of the east"]);
  });

  test("offer the most frequent word first, even when many words precede it in the alphabet", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant, { name: "Influx" });
    const hidden = await mintLocation(tenant, { name: "Vault" });
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const rare = letters.flatMap((a) => [`infa${a}a`, `infe${a}a`]).join(" ");
    await mintDocument(tenant, location, [rare, ...Array.from({ length: 12 }, () => "information for inflow")]);
    await mintDocument(tenant, location, ["information", "infantry infantry"]);
    await mintDocument(
      tenant,
      hidden,
      Array.from({ length: 30 }, () => "infamous infringement of infxax"),
    );
    await indexTenant(organization.id);
    const guest = await mintMember(organization.id, "guest");
    await mintGrant(tenant, guest.userId, "location", location.id, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "location", id: location.id }]);
    const words = async (token: string, term: string) =>
      (await suggestionsAs(token, term)).filter(({ resultId }) => resultId === null).map(({ text }) => text);

    expect((await words(guest.token, "inf")).slice(0, 5)).toEqual([
      "information",
      "inflow",
      "Influx",
      "infantry",
      "infaaa",
    ]);
    expect((await words(guest.token, "i"))[0]).toBe("information");
    expect((await words(organization.owner.token, "inf")).slice(0, 4)).toEqual([
      "infamous",
      "infringement",
      "infxax",
      "information",
    ]);
  });
});

test("a text in which many words begin with the typed letters has suggestions, even if no sample contains it", async () => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant, { name: "Yard" });
  // One section, which is in no sample for most ids.
  const passages = Array.from({ length: 8 }, () => Array.from({ length: 60 }, () => "lantern lamp").join(" "));
  for (let n = 0; n < 3; n += 1) await mintDocument(tenant, location, passages.slice(n), { fileName: `${n}.pdf` });
  await indexTenant(organization.id);
  expect((await suggestionsAs(organization.owner.token, "la")).map(({ text }) => text)).toContain("lamp");
});

describe("suggestions after other words", () => {
  test("complete first with words that follow them in visible texts, then with words near them, then with other words", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant, { name: "Yard" });
    const hidden = await mintLocation(tenant, { name: "Vault" });
    await mintDocument(tenant, location, [
      "Concrete pier. Concrete pier. Concrete pipe beside a pillar of the pit.",
      "steel piston, steel piston, steel piston",
      "the end of the piazza",
    ]);
    await mintDocument(
      tenant,
      hidden,
      Array.from({ length: 5 }, () => "concrete pigment, concrete piston"),
    );
    await indexTenant(organization.id);
    const guest = await mintMember(organization.id, "guest");
    await mintGrant(tenant, guest.userId, "location", location.id, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "location", id: location.id }]);
    const texts = async (token: string, term: string) => (await suggestionsAs(token, term)).map(({ text }) => text);

    expect((await texts(guest.token, "pi"))[0]).toBe("piston");
    expect(await texts(guest.token, "Concrete pi")).toEqual([
      "Concrete pier",
      "Concrete pipe",
      "Concrete pillar",
      "Concrete pit",
      "Concrete piston",
      "Concrete piazza",
    ]);
    expect((await texts(guest.token, "end of the pi"))[0]).toBe("end of the piazza");
    expect((await texts(guest.token, "of the pi"))[0]).toBe("of the piston");
    expect((await texts(guest.token, "xylophone pi"))[0]).toBe("xylophone piston");
    expect((await texts(organization.owner.token, "concrete pi")).slice(0, 3)).toEqual([
      "concrete piston",
      "concrete pigment",
      "concrete pier",
    ]);
  });
});

describe("spelling", () => {
  test("replaces a word that occurs nowhere by the nearest word, and returns the corrected term", async () => {
    const { organization } = await library();
    const { token } = organization.owner;
    const { results, correctedTerm } = await searchAs(token, "Concreet abutmnet!");
    expect(correctedTerm).toBe("concrete abutment!");
    expect(results[0]?.snippet).toBe("<mark>concrete</mark> <mark>abutment</mark> continues");
    expect((await searchAs(token, "concrete pier ")).correctedTerm).toBeNull();
    expect((await searchAs(token, "xylophone ")).correctedTerm).toBeNull();
  });

  test("a guessed word weighs less than a typed one, unless it has the stem of a typed one", async () => {
    const { id, owner } = await mintOrganization();
    const location = await mintLocation({ organizationId: id }, { name: "Quay" });
    const texts = [
      "the lantern was cleaned",
      "the bearing was cleaned",
      "the bearing was greased",
      "the lantern was greased",
    ];
    for (const [at, text] of texts.entries())
      await mintDocument({ organizationId: id }, location, [text], { fileName: `${at}.pdf` });
    await indexTenant(id);
    const found = async (term: string) => (await searchAs(owner.token, term)).results.map(({ snippet }) => snippet);
    const typed = /<mark>bearing<.mark>/;
    for (const term of ["lanterm bearing ", "bearing lanterm "]) {
      const snippets = await found(term);
      expect(snippets.map((snippet) => typed.test(snippet ?? ""))).toEqual([true, true, false, false]);
    }
    const { results, correctedTerm } = await searchAs(owner.token, "bearing lanterns lanterm ");
    expect(correctedTerm).toBe("bearing lanterns lantern ");
    expect(results.slice(0, 2).every(({ snippet }) => snippet?.includes("<mark>lantern</mark>"))).toBe(true);
  });

  test("never offers a word of a hidden resource", async () => {
    const { tenant, location, member, organization } = await library();
    await mintGrant(tenant, member.userId, "location", location.id, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "location", id: location.id }]);
    expect((await searchAs(member.token, "confidentiel ")).correctedTerm).toBeNull();
    expect((await searchAs(organization.owner.token, "confidentiel ")).correctedTerm).toBe("confidential ");
    expect((await searchAs(member.token, "concrate ")).correctedTerm).toBe("concrete ");
  });
});
