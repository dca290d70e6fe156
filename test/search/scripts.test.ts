import { describe, expect, test, vi } from "vitest";
import { matcherOf, snippetOf } from "../../src/search/present";
import { parseQuery } from "../../src/search/query";
import { ALL_LANGUAGES } from "../../src/search/text";
import { wordsOf } from "../../src/search/text/words";
import { mintLocation, mintOrganization } from "../support/factories";
import fc, { scaled } from "../support/properties";
import { indexTenant, library, searchAs } from "./searching";

const surfaces = (text: string): string[] => [...wordsOf(text)].map(({ surface }) => surface);
const snippet = (text: string, term: string): string =>
  snippetOf(text, matcherOf(parseQuery(term)), ALL_LANGUAGES, true);

describe("phrases", () => {
  test("match the quoted words in order, stop words included", async () => {
    const find = await library([
      "To be, or not to be, that is the question.",
      "It is to be or to not be.",
      "The states of the arts in bridge inspection",
      "State of an art; the state, the art",
      "state art",
      "The bridge of the north. This is what it is.",
      "A bridge in the north",
    ]);
    expect(await find('"to be or not to be"')).toEqual([0]);
    expect(await find('"state of the art"')).toEqual([2]);
    expect(await find('"state art"')).toEqual([4]);
    expect(await find('"the bridge"')).toEqual([5]);
    expect(await find('"in the north" bridge')).toEqual([6]);
    expect(await find('"bridge of the north" "what it is"')).toEqual([5]);
    expect(await find('"it is" "to be"')).toEqual([1]);
    expect(await find('"or be to"')).toEqual([]);
  });

  test("of stop words are marked as one, and found in titles", async () => {
    expect(snippet("That: to be, or not to be.", '"to be or not to be"')).toBe(
      "That: <mark>to be, or not to be</mark>.",
    );
    const organization = await mintOrganization();
    const tenant = { organizationId: organization.id };
    await mintLocation(tenant, { name: "The Who" });
    await mintLocation(tenant, { name: "Who is the" });
    await indexTenant(organization.id);
    const titles = async (term: string) =>
      (await searchAs(organization.owner.token, term)).results.map(({ title }) => title);
    expect(await titles('"the who"')).toEqual(["The Who"]);
    expect((await titles("the who")).sort()).toEqual(["The Who", "Who is the"]);
  });

  test("find exactly the passages that contain them, over random words", async () => {
    const words = ["the", "of", "to", "weld", "welds", "bridge", "bridges", "bridged", "東京都"];
    const passage = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 8 });
    // A text of random words could be detected as another language, which has other stems.
    const english = "which they have been with and this was from there";
    const stems = (text: readonly string[]) => ` ${text.map((w) => w.replace(/(?<=weld|bridge)[sd]$/, "")).join(" ")} `;
    await fc.assert(
      fc.asyncProperty(fc.array(passage, { minLength: 6, maxLength: 6 }), async (passages) => {
        const find = await library(passages.map((text) => `${text.join(" ")} ${english}`));
        for (const [from, asked] of passages.map((text, i) => [i, text.slice(i % 2, (i % 2) + 4)] as const)) {
          if (asked.length < 2) continue;
          const expected = passages.flatMap((text, i) => (stems(text).includes(stems(asked)) ? [i] : []));
          expect(expected).toContain(from);
          expect(await find(`"${asked.join(" ")}"`)).toEqual(expected);
        }
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

describe("scripts without spaces", () => {
  test("are found by a single character, at any place of a run", async () => {
    const find = await library(["東京都の橋", "京都駅", "bridge", "第3章 橋梁点検"]);
    expect(await find("橋")).toEqual([0, 3]);
    expect(await find("東")).toEqual([0]);
    expect(await find("京")).toEqual([0, 1]);
    expect(await find("章")).toEqual([3]);
    expect(await find("京 -橋")).toEqual([1]);
    expect(await find('"第3章 橋"')).toEqual([3]);
    expect(await find('"3章 梁"')).toEqual([]);
  });

  test("are found by any part of a run", async () => {
    const text = "東京都ｶﾞｰﾄﾞ下の橋梁を点検した한국어สะพานข้ามแม่น้ำខ្មែរ";
    const find = await library([text, "bridge"]);
    const characters = [...text.normalize("NFKC")];
    await fc.assert(
      fc.asyncProperty(fc.nat(characters.length - 1), fc.integer({ min: 1, max: 9 }), async (from, length) => {
        const part = characters.slice(from, from + length).join("");
        fc.pre(/\p{L}/u.test(part));
        expect(await find(part), part).toEqual([0]);
      }),
      { numRuns: scaled(30), endOnFailure: true },
    );
  });

  test("half-width kana and their marks are the same as full-width ones", async () => {
    const forms = ["ガード", "ｶﾞｰﾄﾞ", "カ\u3099ート\u3099"];
    for (const form of forms) expect(surfaces(form)).toEqual(surfaces("ガード"));
    expect(surfaces("ﾊﾟｲﾌﾟ")).toEqual(surfaces("パイプ"));
    const find = await library([...forms, "カート"]);
    for (const form of forms) expect(await find(form)).toEqual([0, 1, 2]);
    expect(snippet("太いｶﾞｰﾄﾞ下", "ガード")).toBe("太い<mark>ｶﾞｰﾄﾞ</mark>下");
  });

  test("have the words of their NFKC form", () => {
    const pieces = fc.constantFrom(..."ｶｷﾊアか漢가각ก่ำสำｰﾞﾟ\u3099\u309a\u1100\u1161\u11a8一", "葛\u{e0100}", "\uf900");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        expect(surfaces(text)).toEqual(surfaces(text.normalize("NFKC")));
      }),
      { numRuns: 1_000 },
    );
  });

  test("a word is marked once, as a whole", () => {
    expect(snippet("งานตรวจสะพานและงานอื่น", "สะพาน")).toBe("งานตรวจ<mark>สะพาน</mark>และงานอื่น");
    expect(snippet("東京都と京都", "東京都")).toBe("<mark>東京都</mark>と京都");
    expect(snippet("東京と京都", "東京都")).toBe("<mark>東京</mark>と<mark>京都</mark>");
    expect(snippet("橋と橋梁と歩道橋", "橋")).toBe("<mark>橋</mark>と<mark>橋</mark>梁と歩道<mark>橋</mark>");
    expect(snippet("ที่นี่", "ท")).toBe("<mark>ที่</mark>นี่");
  });
});

describe("emoji", () => {
  test("are words, in any form and colour", async () => {
    expect(surfaces("🚧work👍🏽 ❤️ 👩‍🚒")).toEqual(["🚧", "work", "👍", "❤", "👩‍🚒"]);
    const find = await library(["Road 🚧 closed", "👍🏽 approved", "I ❤️ bridges", "👩‍🚒 on site 🇳🇴"]);
    expect(await find("🚧")).toEqual([0]);
    expect(await find("👍")).toEqual([1]);
    expect(await find("❤")).toEqual([2]);
    expect(await find("👩‍🚒")).toEqual([3]);
    expect(await find("🇳🇴")).toEqual([3]);
    expect(await find('"road 🚧"')).toEqual([0]);
    expect(snippet("Road 🚧 closed", "🚧")).toBe("Road <mark>🚧</mark> closed");
  });

  test("marks and joiners without a letter are no words", () => {
    for (const text of ["\ufe0f", "\u200d", "\ufe0f\u200d", "ﾞ", "\u3099", "\u0301", "🏽", "©"])
      expect(surfaces(text)).toEqual([]);
    expect(surfaces("a\ufe0f")).toEqual(["a"]);
    expect(surfaces("ACME® bridge")).toEqual(["acme", "bridge"]);
  });
});

describe("many marks after one letter", () => {
  // Two kinds of marks in turn: normalization moves every second one to the front.
  const marks = (n: number): string => "\u0301\u0323".repeat(n);
  const soundMarks = (n: number): string => "\uff9e\u3099".repeat(n);

  /** The longest row of marks, and all characters, that are normalized for the words of a text. */
  function normalized(text: string) {
    const normalize = vi.spyOn(String.prototype, "normalize");
    try {
      expect([...wordsOf(text)].length).toBeGreaterThan(0);
      const given = normalize.mock.contexts.map(String);
      const rows = given.flatMap((each) => each.match(/[\p{M}\uff9e\uff9f]+/gu) ?? []);
      return {
        longest: Math.max(...rows.map((row) => row.length)),
        total: given.reduce((sum, { length }) => sum + length, 0),
      };
    } finally {
      normalize.mockRestore();
    }
  }

  test.each([
    ["a Latin letter", (n: number) => `e${marks(n)}`],
    ["a Han character", (n: number) => `\u6771${marks(n)}`],
    ["kana with sound marks", (n: number) => `\u304b${soundMarks(n)}`],
    ["kana with variation selectors", (n: number) => `\u304b${"\ufe00".repeat(n)}`],
  ])("are limited before they are sorted: %s", (_, text) => {
    const [once, twice] = [normalized(text(500)), normalized(text(1_000))];
    expect(twice.longest).toBeLessThanOrEqual(31);
    expect(twice.total).toBeLessThanOrEqual(2 * once.total);
  });

  test("change no place of a word in its text", () => {
    const text = `cafe${marks(100)} \u6771${"\ufe00".repeat(100)}\u4eac end`;
    expect([...wordsOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual([
      `cafe${marks(100)}`,
      `\u6771${"\ufe00".repeat(100)}\u4eac`,
      "\u4eac",
      "end",
    ]);
    expect(surfaces(text)).toEqual(["cafe", "\u4e1c\u4eac", "\u4eac", "end"]);
  });
});
