import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { documents } from "../../../src/documents/tables";
import { detectLanguage, isStopWord, LANGUAGES, type Language, wordsOf } from "../../../src/search/text";
import { REPORTS } from "../../search/languages";
import { indexTenant, library, searchAs } from "../../search/searching";
import { uploadDocument } from "../../support/documents";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPassages,
  mintVersion,
} from "../../support/factories";
import { runThrough } from "../../support/jobs";
import { eventually } from "../../support/patience";
import fc from "../../support/properties";
import { testDatabase } from "../../support/statements";

describe("the language of a text", () => {
  test.each(LANGUAGES)("is detected: %s", (language) => {
    expect(detectLanguage(REPORTS[language].text)).toBe(language);
  });

  test("is unknown if there are too few words", () => {
    for (const text of ["", "2024-10-03.pdf", "Site 14", "東京都", "Мост через реку"])
      expect(detectLanguage(text)).toBeNull();
  });

  test("decides which forms of its words a search finds, in an organization with all languages", async () => {
    const organization = await mintOrganization();
    const location = await mintLocation({ organizationId: organization.id });
    const { token } = organization.owner;
    await Promise.all(
      LANGUAGES.map((language) =>
        uploadDocument(token, location.id, { fileName: `${language}.txt`, bytes: REPORTS[language].text }),
      ),
    );
    const titles = async (term: string) => (await searchAs(token, `${term} `)).results.map(({ title }) => title);
    await eventually(async () => {
      for (const language of LANGUAGES)
        expect(await titles(REPORTS[language].text.split(" ").at(-1) ?? "")).toContain(`${language}.txt`);
    });
    for (const language of LANGUAGES)
      for (const term of REPORTS[language].asked) expect(await titles(term), term).toContain(`${language}.txt`);
  });

  test("decides which words a snippet marks", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant);
    await mintDocument(tenant, location, [REPORTS.german.text]);
    await indexTenant(organization.id);
    const { results } = await searchAs(organization.owner.token, "Riss Bruecke ");
    expect(results[0]?.snippet).toContain("mehrere <mark>Risse</mark> in den Pfeilern der <mark>Brücken</mark>");
  });

  test("every written word finds its passage, in each language", async () => {
    const texts = LANGUAGES.map((language) => REPORTS[language].text);
    const find = await library(texts);
    const places = texts.flatMap((text, i) =>
      [...wordsOf(text)]
        .filter((word) => !isStopWord(word))
        .map(({ start, end }) => [i, text.slice(start, end)] as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), async ([i, word]) => {
        expect(await find(`"${word}" `), word).toContain(i);
        expect(await find(`${word} `), word).toContain(i);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });
});

/** German and Nordic words with letters for which other keyboards need two letters. */
const SPELLINGS: readonly (readonly [language: Language, one: string, two: string])[] = [
  ["german", "Brückenprüfung", "Brueckenpruefung"],
  ["german", "Gebäude", "Gebaeude"],
  ["german", "Öffnung", "Oeffnung"],
  ["german", "Straße", "Strasse"],
  ["german", "größere", "groessere"],
  ["swedish", "Älvsborg", "Aelvsborg"],
  ["swedish", "gångväg", "gaangvaeg"],
  ["danish", "Sønderå", "Soenderaa"],
  ["danish", "æstetik", "aestetik"],
  ["norwegian", "måling", "maaling"],
  ["norwegian", "Tromsø", "Tromsoe"],
  ["finnish", "Hämeenlinna", "Haemeenlinna"],
];

describe("umlauts and their two letters", () => {
  test("find each other, and the form without the mark", async () => {
    const texts = SPELLINGS.flatMap(([language, one, two]) =>
      [one, two].map((word) => `${REPORTS[language].text} ${word}.`),
    );
    const find = await library(texts);
    for (const [i, [, one, two]] of SPELLINGS.entries())
      for (const term of [one, two, one.toUpperCase(), two.toLowerCase(), one.normalize("NFD"), `"${two}"`])
        expect(await find(`${term} `), term).toEqual([2 * i, 2 * i + 1].sort());
  });

  test("complete a word that is typed", async () => {
    const find = await library([
      `${REPORTS.german.text} Überprüfungsbericht`,
      `${REPORTS.german.text} Ueberpruefungsbericht`,
    ]);
    for (const typed of ["Überprü", "Ueberprue", "überprüfungsb", "ueberpruefungsb"])
      expect(await find(typed)).toEqual([0, 1]);
  });

  test("are one letter only while the caller sees a text of such a language", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const [near, far] = await Promise.all([mintLocation(tenant), mintLocation(tenant)]);
    const english = await mintDocument(tenant, near, ["The pots were in the garden."]);
    const german = await mintDocument(tenant, far, [REPORTS.german.text]);
    const guest = await mintMember(organization.id, "guest");
    await mintGrant(tenant, guest.userId, "location", near.id, { Documents: "Read" });
    await indexTenant(organization.id);
    await runThrough("index-shared", [{ target: "location", id: near.id }]);
    const find = async (token = organization.owner.token) =>
      (await searchAs(token, "poet ", { correct: false })).results.map(({ source }) => source?.documentId);
    const change = (fields: Partial<typeof documents.$inferInsert>) =>
      testDatabase().update(documents).set(fields).where(eq(documents.id, german));
    expect(await find()).toEqual([english]);
    expect(await find(guest.token)).toEqual([]);
    await change({ deletedAt: 1 });
    expect(await find()).toEqual([]);
    await change({ deletedAt: null });
    expect(await find()).toEqual([english]);
    await change({ locationId: near.id, clusterId: near.clusterId });
    expect(await find(guest.token)).toEqual([english]);
    await change({ locationId: far.id, clusterId: far.clusterId });
    expect(await find(guest.token)).toEqual([]);
    await mintGrant(tenant, guest.userId, "document", german, { Documents: "Read" });
    await runThrough("index-shared", [{ target: "document", id: german }]);
    expect(await find(guest.token)).toEqual([english]);
    await mintVersion(german, 2, "x.txt");
    await mintPassages(german, 2, [REPORTS.english.text]);
    await change({ latestVersion: 2, textVersion: 2 });
    await indexTenant(organization.id);
    expect(await find()).toEqual([]);
    expect(await find(guest.token)).toEqual([]);
  });

  test("are no reason to find another word in an English text", async () => {
    const find = await library(["The poets read in the garden.", "The pots were in the garden."]);
    expect(await find("poet ")).toEqual([0]);
    expect(await find("pot ")).toEqual([1]);
  });
});

describe("simplified and traditional Chinese", () => {
  test("find each other, even by single characters", async () => {
    const find = await library(["橋樑檢測報告書", "桥梁检测报告书", "道路"]);
    for (const term of ["橋樑", "桥梁", "檢測報告", "检测报告", "橋", "桥", '"报告书"', '"報告書"', "書", "书"])
      expect(await find(term), term).toEqual([0, 1]);
    expect(await find("檢測 -道路")).toEqual([0, 1]);
  });

  test("are marked as they are written", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    const location = await mintLocation(tenant);
    await mintDocument(tenant, location, ["臺北的橋樑檢測報告"]);
    await indexTenant(organization.id);
    const { results } = await searchAs(organization.owner.token, "桥梁检测");
    expect(results[0]?.snippet).toBe("臺北的<mark>橋樑檢測</mark>報告");
  });
});
