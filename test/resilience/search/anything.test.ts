import { beforeAll, describe, expect, test } from "vitest";
import { suggestionsResponse } from "../../../src/search/schemas";
import { termOf, wordOfTerm } from "../../../src/search/text/terms";
import { wordsOf } from "../../../src/search/text/words";
import { indexTenant, searchAs } from "../../search/searching";
import { expectJson } from "../../support/call";
import { mintDocument, mintLocation, mintMember, mintOrganization } from "../../support/factories";
import fc, { scaled } from "../../support/properties";

let token = "";

beforeAll(async () => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant, { name: "The Who (A–Z)" });
  await mintDocument(tenant, location, [`<b>"quoted"</b> & 50% of naïve café 東京 мост 🚧 ${"x".repeat(500)}`], {
    fileName: "it.txt",
  });
  await indexTenant(organization.id);
  token = (await mintMember(organization.id)).token;
});

/** Text as people and machines send it: operators, quotes, controls, every script, lone surrogates. */
const pieces = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.constantFrom(
    '"',
    "'",
    "*",
    "-",
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    ":",
    "^",
    "{",
    "+",
    "\\",
    "%",
    "_",
    ";--",
    "~",
    "\u0000",
  ),
  fc.constantFrom("\ud800", "\udc00", "\u202e", "مرحبا", "שלום", "ไทย", "👩‍🚒", "ﷺ", "㈱", "İ", "ß", "x".repeat(3_000)),
);
const anything = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(" "));

describe("any text", () => {
  test("search and suggestions accept it and give the same result each time", async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (term) => {
        const first = await searchAs(token, term);
        const again = await searchAs(token, term);
        expect({ ...again, searchId: null }).toEqual({ ...first, searchId: null });
        for (const { snippet } of first.results)
          expect(snippet?.replace(/<\/?mark>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, "") ?? "").not.toMatch(
            /[<>"'&]/,
          );
        await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", { token, body: { term } });
      }),
      { numRuns: scaled(50), endOnFailure: true },
    );
  }, 240_000);

  test("every term gives its word again", () => {
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.stringMatching(/^[a-z]{3,14}( [a-z]{3,9}(ies|ed|ing|ational|y|ness))*$/)),
        (text) => {
          for (const { stem, surface } of wordsOf(text))
            expect(wordOfTerm(termOf({ stem, surface }))).toEqual({ stem, surface });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["nothing", ""],
    ["10,000 characters", "naïve ".repeat(1_700)],
    ["10,000 different words", Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(" ")],
    ["100,000 quotes", '"'.repeat(100_000)],
    ["only exclusions", "-naïve -café"],
  ])("%s", async (_, term) => {
    expect((await searchAs(token, term)).results.length).toBeLessThanOrEqual(20);
  });

  test("search finds names of stop words, and words beside punctuation", async () => {
    const titles = async (term: string) => (await searchAs(token, term)).results.map(({ title }) => title);
    expect(await titles("the who")).toContain("The Who (A–Z)");
    expect(await titles("(it).txt?!")).toContain("it.txt");
    expect(await titles("NAIVE/CAFE")).toContain("it.txt");
  });
});
