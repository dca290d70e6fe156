import { describe, expect, test } from "vitest";
import { codesIn, termOf, wordsOf } from "../../src/search/text";
import { mintDocument, mintLocation, mintOrganization } from "../support/factories";
import fc from "../support/properties";
import { indexTenant, library, searchAs } from "./searching";

/** Forms of one code. Each finds a text with each other one, and no text with the other codes. */
const CODES: readonly (readonly string[])[] = [
  ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "de89-3704-0044-0532-0130-00"],
  ["+49 30 901820", "+4930901820", "+49 (0)30 901820", "+49-30-901820"],
  ["030/554433", "030554433", "030 554433"],
  ["INV-2024-0013", "INV20240013", "INV 2024 0013", "inv/2024/0013"],
  ["ISO 9001", "ISO9001", "ISO-9001", "iso_9001"],
  ["DN 150", "DN150", "dn-150"],
  ["24 V", "24V", "24 V"],
  ["12,500.00", "12500", "12.500,00", "12 500", "12'500.00", "१२५००", "１２５００", "๑๒๕๐๐", "١٢٥٠٠"],
  ["site_plan", "siteplan", "sitePlan", "SITE_PLAN"],
  ["2026-03-14", "20260314"],
  ["Level 7", "Level7", "level_7", "LEVEL-7"],
  ["E 470-A", "E470A", "E-470-A", "e470-a"],
];

describe("codes as people type them", () => {
  test("joined and spaced forms find each other, and nothing else", async () => {
    const texts = CODES.flatMap((forms) => forms.map((form) => `The value ${form}; no other.`));
    const find = await library(texts);
    const groups = CODES.flatMap((forms, group) => forms.map(() => group));
    for (const [group, forms] of CODES.entries())
      for (const term of forms) {
        const found = await find(`${term} `);
        const own = groups.flatMap((of, i) => (of === group ? [i] : []));
        expect(found.filter((i) => groups[i] === group).sort(), term).toEqual(own.sort());
        if (!/\s|_|\p{Ll}\p{Lu}|[.,'/-]/u.test(term)) expect(found.sort(), term).toEqual(own.sort());
      }
  });

  test("identifiers find their words, and words the identifiers", async () => {
    const find = await library([
      "Call getUserNameById before.",
      "The user name is shown.",
      "parseHTTPHeader fails",
      "The HTTP header fails",
      "Bericht fürPrüfung_v2",
    ]);
    expect(await find("user name ")).toEqual([0, 1]);
    expect(await find("getUserNameById ")).toEqual([0, 1]);
    expect(await find("http header ")).toEqual([2, 3]);
    expect(await find("prüfung ")).toEqual([4]);
  });

  test("apostrophes of every kind are one", async () => {
    const forms = ["O'Brien", "O’Brien", "OʼBrien", "O‘Brien", "O＇Brien", "Oʻbrien"];
    const find = await library(forms.map((form) => `Signed by ${form} today.`));
    for (const form of forms) expect(await find(`${form} `), form).toEqual([0, 1, 2, 3, 4, 5]);
    for (const form of forms) expect(await find(`"${form}"`), form).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each([
    ["ISO9001 ", "Certified by ISO 9001 since May", "Certified by <mark>ISO 9001</mark> since May"],
    ["ISO 9001 ", "Certified by ISO9001 since May", "Certified by <mark>ISO9001</mark> since May"],
    ["ISO 9001 ", "Certified by ISO 9001 since May", "Certified by <mark>ISO</mark> <mark>9001</mark> since May"],
    ["9001 ", "Certified by ISO9001 since May", "Certified by ISO<mark>9001</mark> since May"],
    ["12500 ", "It costs 12,500.00 today", "It costs <mark>12,500</mark>.00 today"],
    ["12,500.00 ", "It costs 12500 today", "It costs <mark>12500</mark> today"],
    ["siteplan ", "See site_plan here", "See <mark>site_plan</mark> here"],
    ["site_plan ", "See siteplan here", "See <mark>siteplan</mark> here"],
    ["user name ", "Call getUserNameById", "Call get<mark>UserName</mark>ById"],
    ["+4930901820 ", "Phone +49 (0)30 901820 <b>", "Phone +<mark>49 (0)30 901820</mark> &lt;b&gt;"],
    ["2567 ", "ปี ๒๕๖๗ ครับ", "ปี <mark>๒๕๖๗</mark> ครับ"],
    ["O'Brien ", "By OʼBrien", "By <mark>O</mark>ʼ<mark>Brien</mark>"],
  ])("%s is marked in: %s", async (term, text, snippet) => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    await mintDocument(tenant, await mintLocation(tenant), [text]);
    await indexTenant(organization.id);
    const { results, correctedTerm } = await searchAs(organization.owner.token, term);
    expect(results[0]?.snippet).toBe(snippet);
    expect(correctedTerm).toBeNull();
  });

  test("are found in names of files, without their extensions", async () => {
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    await mintDocument(tenant, await mintLocation(tenant), [], { fileName: "site_plan_v2_DN150.pdf" });
    await indexTenant(organization.id);
    for (const term of ["siteplan ", "site plan ", "DN 150 ", "plan v2 ", "dn-150 "]) {
      const { results } = await searchAs(organization.owner.token, term);
      expect(results[0]?.title, term).toBe("site_plan_v2_DN150.pdf");
    }
  });

  test("have no forms in prose, tables of numbers and hexadecimal numbers, and few in a text with numbers", () => {
    const surfaces = (text: string) => [...codesIn(text)].map(({ surface }) => surface);
    expect(surfaces("The pump was replaced after the flood, and has worked since then.")).toEqual([]);
    expect(surfaces("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")).toEqual([]);
    expect(surfaces(Array.from({ length: 40 }, (_, i) => i + 10).join(" "))).toEqual([]);
    expect(surfaces("Installed in 2024 by the firm; see page 12.")).toEqual(["page12"]);
  });

  test("have a place in the text, and a form that is a term of the index, for any text", () => {
    const token = fc.constantFrom(
      "DN",
      "150",
      "ISO9001",
      "-",
      "_",
      " ",
      "(0)",
      "12,500",
      "getUser",
      "ß",
      "๒",
      "'",
      "東",
      "\n",
      ".",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        for (const { surface, start, end } of codesIn(text)) {
          expect(end).toBeGreaterThan(start);
          expect(text.slice(start, end).trim()).toBe(text.slice(start, end));
          expect([...wordsOf(surface)].map(termOf)).toHaveLength(1);
        }
      }),
    );
  });
});
