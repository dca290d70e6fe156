import { describe, expect, test } from "vitest";
import { normalise } from "../../../src/documents/extraction/charset";
import { countWords, type Passage, PassageBuilder } from "../../../src/documents/extraction/passages";
import fc from "../../support/properties";

function cut(...paragraphs: (readonly [page: number | null, text: string])[]): Passage[] {
  const maker = new PassageBuilder(0);
  for (const [page, text] of paragraphs) maker.add(page, text);
  maker.flush();
  return maker.take();
}

const sentence = (n: number): string => `The keeper counted lamp number ${n} and wrote it down in the long green book.`;
const prose = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => sentence(from + i)).join(" ");

describe("passages", () => {
  test("end at sentences and have 60 to 120 words", () => {
    const found = cut([null, prose(0, 100)]);
    expect(found.map(({ text }) => text).join(" ")).toBe(prose(0, 100));
    for (const { text } of found.slice(0, -1)) {
      expect(text).toMatch(/^The .*book\.$/);
      expect(countWords(text)).toBeGreaterThanOrEqual(60);
      expect(countWords(text)).toBeLessThanOrEqual(120);
    }
  });

  // Quadratic time would take many minutes, which is more than the timeout of a test.
  test("of a row of dots cost time in proportion to its length", () => {
    const found = cut([null, ".".repeat(2 ** 19)]);
    expect(found.map(({ text }) => text).join("")).toBe(".".repeat(2 ** 19));
  });

  test("never cross a page", () => {
    const found = cut([1, "A heading"], [1, "One."], [2, "Two."], [3, "Three."]);
    expect(found).toEqual([
      { page: 1, chunkIndex: 0, text: "A heading\nOne." },
      { page: 2, chunkIndex: 1, text: "Two." },
      { page: 3, chunkIndex: 2, text: "Three." },
    ]);
  });

  test("of Chinese and Thai, which have no spaces, are split at sentences and words", () => {
    const chinese = "港口检查报告显示防波堤状况良好，灯塔的透镜在春天更换过一次。".repeat(40);
    const found = cut([null, chinese]);
    expect(found.map(({ text }) => text).join("")).toBe(chinese);
    expect(found.slice(0, -1).every(({ text }) => text.endsWith("。"))).toBe(true);
    const thai = "ภาษาไทยเขียนติดกันไม่เว้นวรรค".repeat(200);
    const cuts = cut([null, thai]).map(({ text }) => text);
    expect(cuts.join("")).toBe(thai);
    expect(Math.max(...cuts.map((text) => text.length))).toBeLessThanOrEqual(1_200);
  });

  test("of random text contain all of it in order, within their limits", () => {
    const word = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom("word", "Ende.", "港口。", "x".repeat(3_000)));
    const paragraph = fc.array(word, { maxLength: 400 }).map((words) => words.join(" "));
    const page = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
    const squeeze = (text: string) => text.replace(/\s+/gu, "");
    fc.assert(
      fc.property(fc.array(fc.tuple(page, paragraph), { maxLength: 8 }), (paragraphs) => {
        const found = cut(...paragraphs);
        const given = paragraphs.map(([, text]) => normalise(text)).join("");
        expect(squeeze(found.map(({ text }) => text).join(""))).toBe(squeeze(given));
        expect(found.map(({ chunkIndex }) => chunkIndex)).toEqual(found.map((_, i) => i));
        for (const { text } of found) {
          expect(text.length).toBeLessThanOrEqual(1_200);
          expect(text.trim()).not.toBe("");
        }
      }),
      { numRuns: 100 },
    );
  });
});

test.each([
  ["cafe\u0301", "café"],
  [" a\t\n b\u00a0\u2003c ", "a b c"],
  ["zero\u0000 width\u200b soft\u00adhyphen \ufeffmark \u202ereversed\u202c", "zero width softhyphen mark reversed"],
  ["क्\u200dष 👩\u200d🚀", "क्\u200dष 👩\u200d🚀"],
  ["lone \ud800 surrogate", "lone surrogate"],
])("%j is normalised to %j", (text, expected) => {
  expect(normalise(text)).toBe(expected);
});
