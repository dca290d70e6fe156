import { describe, expect, test } from "vitest";
import type { CapabilityMap } from "../../src/access";
import { newId } from "../../src/platform/ids";
import { MAX_CONTEXTS, MAX_READ_OCCURRENCES, MAX_SCORED_SECTIONS } from "../../src/search/limits";
import { search } from "../../src/search/search";
import { suggest } from "../../src/search/suggestions";
import {
  mintAnnotation,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
} from "../support/factories";
import { buildGuests, giveManyGrants, isIndexed } from "./guest-index";
import { rowsReadBy } from "./rows-read";
import { indexTenant } from "./searching";

const scope = { includeShared: true };

/** Every feature of the query language and a misspelling, with words of visible and of hidden resources. */
const TERMS = [
  "girder",
  "girder weld ",
  "gir*",
  '"girder weld"',
  "weld -rust ",
  "confidental ",
  "confidential ",
  "girdre ",
];
const TYPED = ["gi", "girder we", "conf", "weldi"];

const readBy = async (userId: string): Promise<number[]> => {
  const reads: number[] = [];
  for (const term of TERMS)
    reads.push(await rowsReadBy(userId, (context) => search(context, { term, scope, limit: 20 })));
  for (const term of TYPED) reads.push(await rowsReadBy(userId, (context) => suggest(context, term, scope)));
  return reads;
};

async function library() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const shown = await mintLocation(tenant, { name: "Girder yard" });
  const hidden = await mintLocation(tenant, { name: "Girder vault" });
  const documentId = await mintDocument(tenant, shown, ["girder weld tested", "rust on the weld"], {
    fileName: "Girder.pdf",
  });
  await mintAnnotation(tenant, shown, { title: "Girder note" });
  return { organization, tenant, shown, hidden, documentId };
}

type Library = Awaited<ReturnType<typeof library>>;

/** Many occurrences of the same words, and one more word, at places that the guest may not see. */
async function hide({ organization, tenant, shown, hidden }: Library, documentsToo: boolean, things: number) {
  const texts = Array.from({ length: 12 }, (_, i) => `girder weld rust confidential ${i}`);
  for (let n = 0; n < things; n += 1) {
    const place = documentsToo ? shown : hidden;
    await mintDocument(tenant, place, texts, { fileName: `Girder confidential ${n}.pdf`, path: newId() });
    await mintAnnotation(tenant, hidden, { title: `Girder confidential ${n}` });
    await mintLocation(tenant, { name: `Girder confidential ${n}` });
  }
  await indexTenant(organization.id);
}

describe("the cost of hidden resources", () => {
  test.each<[string, (made: Library) => ["location" | "document", string], CapabilityMap, boolean]>([
    ["a location", ({ shown }) => ["location", shown.id], { Documents: "Read", LocationView: "Read" }, false],
    ["a document", ({ documentId }) => ["document", documentId], { Documents: "Read" }, true],
    ["a location without its documents", ({ shown }) => ["location", shown.id], { LocationView: "Read" }, true],
  ])("a guest with %s reads the same rows, however much is hidden", async (_, granted, capabilities, beside) => {
    const made = await library();
    const guest = await mintMember(made.organization.id, "guest");
    await mintGrant(made.tenant, guest.userId, ...granted(made), capabilities);
    // There is a row after the visible ones from the beginning: a scan ends when it reads the next row.
    await hide(made, beside, 1);
    const before = await readBy(guest.userId);
    const ownerBefore = await readBy(made.organization.owner.userId);
    await hide(made, beside, 5);
    expect(await readBy(guest.userId)).toEqual(before);
    // The meter counts postings: a user who may see them reads more.
    const ownerAfter = await readBy(made.organization.owner.userId);
    expect(ownerAfter[0]).toBeGreaterThan((ownerBefore[0] ?? 0) + 40);
  });

  test("a guest with an index reads the same rows, however much is hidden", async () => {
    const made = await library();
    const guest = await mintMember(made.organization.id, "guest");
    await giveManyGrants(made.organization.id, guest.userId);
    await mintGrant(made.tenant, guest.userId, "location", made.shown.id, { Documents: "Read", LocationView: "Read" });
    await hide(made, false, 1);
    const byGrants = await readBy(guest.userId);
    await buildGuests();
    const before = await readBy(guest.userId);
    await hide(made, false, 5);
    expect(await isIndexed(made.organization.id)).toBe(true);
    expect(await readBy(guest.userId)).toEqual(before);
    expect(before[0]).toBeLessThan(byGrants[0] ?? 0);
  });

  test("a suggestion among many words reads a bounded number of their occurrences, and keeps their order", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const place = await mintLocation(tenant);
    const words = ["infantry", "infection", "inflow", "influence", "inform", "infrared"];
    // Each word occurs once more in a passage than the word before it.
    const passage = words.flatMap((word, i) => Array.from({ length: i + 1 }, () => word)).join(" ");
    const add = async (passages: number) => {
      const texts = Array.from({ length: passages }, () => passage);
      await mintDocument(tenant, place, texts, { fileName: "x.pdf", path: newId() });
      await indexTenant(organization.id);
    };
    const typed = async (term: string) => {
      let texts: string[] = [];
      const rows = await rowsReadBy(organization.owner.userId, async (context) => {
        texts = (await suggest(context, term, scope)).map(({ text }) => text);
      });
      return { rows, texts };
    };
    await add(10);
    const few = await typed("inf");
    await add(600);
    const many = await typed("inf");
    expect(few.texts).toEqual(words.toReversed());
    expect(many.texts).toEqual(words.toReversed());
    // 12,600 occurrences are visible.
    expect(many.rows).toBeLessThan(12 * MAX_READ_OCCURRENCES);
    expect((await typed("infrared inf")).rows).toBeLessThan(12 * MAX_READ_OCCURRENCES + 12 * MAX_CONTEXTS);
  });

  test("a query of beginnings reads a bounded number of words' occurrences", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const place = await mintLocation(tenant);
    await mintDocument(tenant, place, ["alpha beta gamma delta epsilon zeta eta"], { fileName: "x.pdf" });
    await indexTenant(organization.id);
    const read = (term: string) =>
      rowsReadBy(organization.owner.userId, (context) => search(context, { term, scope, limit: 20 }));
    // If more beginnings match than are counted, the first ones are whole words.
    expect(await read("a* b* g* d* e* z* ")).toBeLessThanOrEqual(await read("a b g* d* e* z* "));
  });
});

test("a search reads each occurrence of a word once", async () => {
  const SECTIONS = 40;
  const rowsWith = async (words: number) => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const place = await mintLocation(tenant);
    const add = async (fileName: string, count: number, of: number) => {
      const pages = Array.from({ length: count }, () => ["girder ".repeat(of), "other words of the page"]);
      await mintDocument(tenant, place, pages, { fileName });
    };
    // The passages of the best sections are read too. These sections are in two documents, which are the page of results.
    for (const fileName of ["Girder.pdf", "Girder girder.pdf"]) await add(fileName, MAX_SCORED_SECTIONS, 30);
    await add("x.pdf", SECTIONS, words);
    await indexTenant(organization.id);
    return rowsReadBy(organization.owner.userId, async (context) => {
      const { results, total } = await search(context, { term: "girder ", scope, limit: 1 });
      expect(results[0]?.title).toMatch(/girder/i);
      expect(total.count).toBe(3);
    });
  };
  const [few, many] = [await rowsWith(1), await rowsWith(11)];
  // Each is one row of the index, and one row that is grouped.
  expect((many - few) / (10 * SECTIONS)).toBe(2);
});
