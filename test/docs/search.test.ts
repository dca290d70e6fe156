import { expect, test } from "vitest";
import page from "../../docs/reference/search.md?raw";
import { FORMATS } from "../../src/documents/extraction/detect";
import { hasCompounds, LANGUAGES, partsOf } from "../../src/search/text";
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
