import { beforeEach, describe, expect, test } from "vitest";
import { tagSchema, tagWord } from "../../src/documents/tags/tags";
import { parseQuery } from "../../src/search/query";
import { call, expectJson } from "../support/call";
import { mintDocument, mintGrant, mintLocation, mintOrganization, mintPerson, type Person } from "../support/factories";
import fc from "../support/properties";
import { indexTenant, searchAs } from "./searching";

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };
let documents: Readonly<Record<"bridge" | "bearing" | "gate", string>>;
let tagId: string;

const tag = (name: string, person = owner, organization = organizationId) =>
  expectJson(tagSchema, 201, "POST", "/v1/tags", {
    token: person.token,
    body: { organizationId: organization, name, color: "red" },
  });
const give = (documentId: string, add: string[], remove: string[] = []) =>
  call("POST", `/v1/spatial/locations/${place.id}/documents/changes`, {
    token: owner.token,
    body: { changes: [{ type: "tag", documentId, add, remove }] },
  });
const found = async (term: string, person = owner) =>
  (await searchAs(person.token, term)).results.map(({ source }) => source?.documentId).sort();
const of = (...names: (keyof typeof documents)[]) => names.map((name) => documents[name]).sort();

beforeEach(async () => {
  ({ id: organizationId, owner } = await mintOrganization());
  place = await mintLocation({ organizationId });
  const mint = (fileName: string, text: string) => mintDocument({ organizationId }, place, [text], { fileName });
  documents = {
    bridge: await mint("one.pdf", "The bridge stands."),
    bearing: await mint("two.pdf", "A bridge has a bearing. Its inspection is due."),
    gate: await mint("three.pdf", "The gate is open."),
  };
  tagId = (await tag("North-Yard Inspéction")).id;
  await give(documents.bridge, [tagId]);
  await give(documents.gate, [tagId]);
  await indexTenant(organizationId);
});

test("a tag limits a search, alone, with words and as an exclusion", async () => {
  for (const name of ['"north yard inspection"', "North-Yard-Inspéction", "northyardinspection"]) {
    expect(await found(`tag:${name}`), name).toEqual(of("bridge", "gate"));
    expect(await found(`TAG:${name} bridge`), name).toEqual(of("bridge"));
    expect(await found(`bridge -tag:${name}`), name).toEqual(of("bearing"));
  }
  expect(await found("tag:absent")).toEqual([]);
  expect(await found("bridge tag:absent")).toEqual([]);
  // The name of a tag is no word of a document.
  expect(await found("northyardinspection")).toEqual([]);
});

test("a renamed, removed or deleted tag counts at once", async () => {
  await call("PATCH", `/v1/tags/${tagId}`, { token: owner.token, body: { name: "Due" } });
  expect(await found("tag:due")).toEqual(of("bridge", "gate"));
  expect(await found("tag:north-yard-inspection")).toEqual([]);
  await give(documents.gate, [], [tagId]);
  expect(await found("tag:due")).toEqual(of("bridge"));
  expect(await found("gate -tag:due")).toEqual(of("gate"));
  await call("DELETE", `/v1/tags/${tagId}`, { token: owner.token });
  expect(await found("tag:due")).toEqual([]);
});

test("a copied passage has no tags", () => {
  const passage = `${"one two three four five. ".repeat(8)}A tag:inspection is named.`;
  expect(parseQuery(passage).tags).toEqual([]);
  expect(parseQuery("the tag:inspection").tags).toEqual([{ word: "inspection", excluded: false }]);
  expect(parseQuery("a hashtag:inspection or tag: inspection").tags).toEqual([]);
});

test("several tags must all be there", async () => {
  const second = await tag("Due");
  await give(documents.gate, [second.id]);
  await indexTenant(organizationId);
  expect(await found("tag:due tag:northyardinspection")).toEqual(of("gate"));
  expect(await found("tag:northyardinspection -tag:due")).toEqual(of("bridge"));
});

describe("a person who sees a part", () => {
  test("finds by tag only the documents that they see", async () => {
    const guest = await mintPerson();
    await mintGrant({ organizationId }, guest.userId, "document", documents.bridge, { Documents: "Read" });
    await indexTenant(organizationId);
    expect(await found("tag:northyardinspection", guest)).toEqual(of("bridge"));
    expect(await found("tag:northyardinspection", await mintPerson())).toEqual([]);
  });

  test("does not find the documents of a tag with the same name elsewhere", async () => {
    const other = await mintOrganization();
    await tag("North yard inspection", other.owner, other.id);
    expect(await found("tag:northyardinspection", other.owner)).toEqual([]);
  });
});

test("the word of a tag has no signs, accents or capital letters, and is never empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
      const word = tagWord(name);
      expect(word).not.toBe("");
      expect(tagWord(word)).toBe(word);
    }),
  );
  expect(tagWord("Ünïon 7/b")).toBe("union7b");
  expect(tagWord("🔥")).toBe("🔥");
  expect(tagWord("কি")).toBe("কি");
});
