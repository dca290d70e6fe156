import { expect, test } from "vitest";
import page from "../../docs/reference/search.md?raw";
import { FORMATS } from "../../src/documents/extraction/detect";
import { hasCompounds, LANGUAGES, partsOf, stemOf, wordsOf } from "../../src/search/text";
import { surfaceOf } from "../../src/search/text/fold";

const rowsOf = (title: string): string[][] => {
  const section = page.split("\n## ").find((text) => text.startsWith(title)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

test("the page lists every format, and no other", () => {
  expect(rowsOf("Formats").map(([format]) => format)).toEqual(FORMATS.map((format) => `\`${format}\``));
});

test("the page lists every language, with a compound and its parts where the language has compounds", () => {
  const rows = rowsOf("Languages");
  expect(rows.map(([language]) => language?.toLowerCase())).toEqual([...LANGUAGES]);
  for (const [i, language] of LANGUAGES.entries()) {
    const [compound = "", parts = ""] = rows[i]?.[4]?.split(": ") ?? [];
    const found = partsOf(surfaceOf(compound), language);
    expect(found.length > 0, language).toBe(hasCompounds(language));
    expect(found.length, language).toBe(parts === "" ? 0 : parts.split(", ").length);
  }
});

test("the words of the page are forms of one stem in their language", () => {
  for (const [i, language] of LANGUAGES.entries()) {
    const [, written = "", asked = ""] = rowsOf("Languages")[i] ?? [];
    const [texts, terms] = [written.split(", "), asked.split(", ")];
    expect(texts.length, language).toBe(terms.length);
    for (const [at, text] of texts.entries()) {
      const stems = [text, terms[at] ?? ""].map((word) => stemOf(surfaceOf(word), language));
      expect(stems[0], `${language}: ${text}`).toBe(stems[1]);
      expect(stems[0], `${language}: ${text}`).not.toBe(surfaceOf(text));
    }
  }
});

test("the letters and words of the page are one", () => {
  const surfaces = (text: string) => [...wordsOf(text)].map(({ surface }) => surface);
  const letters = rowsOf("Letters");
  expect(letters.length).toBeGreaterThan(8);
  for (const [written = "", same = ""] of letters)
    for (const form of written.replace(/ \(.*\)$/, "").split(/, | (?=\p{L}(?: |$))/u))
      expect(surfaces(form), form).toEqual(surfaces(same));
});
