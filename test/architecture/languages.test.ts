import { expect, test } from "vitest";
import type { InEachLanguage } from "../../src/platform/languages/languages";
import languages from "../../src/platform/languages/languages.json";
import type { INBOX } from "../../web/texts/en/inbox";
import english from "../../web/texts/en/pages.json";
import { type Files, ownLanguages } from "./house";

const sources: Files = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>("../../{src,web,scripts/setup}/**/*.{ts,tsx,mjs,html}", {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  ).map(([path, text]) => [path.replace("../../", ""), text]),
);
const pages = import.meta.glob<typeof english>("../../web/texts/*/pages.json", { import: "default", eager: true });
const LANGUAGES = Object.keys(languages);

/** Files outside the catalogues that name a language or write its forms, each with the reason. */
const OWN_LANGUAGES: Readonly<Record<string, string>> = {
  "src/cameras/schedule.ts": "calculates with the parts of a date, which nobody reads",
  "src/platform/time.ts": "calculates with the parts of a date, which nobody reads",
  "web/archive/clock.ts": "calculates with the parts of a date, which nobody reads",
  "src/reports/rendering/language.ts": "a report has the language of its draft or of its template",
  "src/reports/templating/formats.ts": "writes values in the language of a report",
  "src/documents/extraction/formats/pdf-words.ts": "the endings of words of documents",
  "web/docs/page.html": "the description of the API is in English",
  "web/pages/report-preview.html": "an empty page, which the page of a report replaces",
  "src/platform/languages/forms.ts": "the forms of each language",
  "src/platform/languages/recognition.ts": "the languages of scans, which are more than those of people",
};

test("a language is named in the list of languages and in its own files only", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(600);
  expect(ownLanguages(sources, LANGUAGES).sort()).toEqual(Object.keys(OWN_LANGUAGES).sort());
});

/** The names that the files of a language export, by file. */
const exportsIn = (language: string): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(sources)
      .filter(([path]) => path.startsWith(`web/texts/${language}/`))
      .map(([path, text]) => [path, [...text.matchAll(/^export const (\w+)/gm)].map(([, name = ""]) => name)] as const)
      .map(([path, names]) => [path.split("/").at(-1) ?? "", names]),
  );

test.for(LANGUAGES)(
  "the catalogue of %s has every text of the first language, and the compiler compares them",
  (language) => {
    const first = LANGUAGES[0] ?? "";
    const { "language.ts": _, ...wanted } = exportsIn(first);
    const { "language.ts": forms, ...found } = exportsIn(language);
    expect(forms).toBeDefined();
    expect(found).toEqual(wanted);
    if (language !== first)
      for (const [file, names] of Object.entries(found))
        for (const name of names)
          expect(sources[`web/texts/${language}/${file}`]).toMatch(
            new RegExp(`^export const ${name}: typeof \\w+\\.${name} =`, "m"),
          );
    const written = pages[`../../web/texts/${language}/pages.json`];
    const keysOf = (of: object | undefined) =>
      Object.entries(of ?? {}).map(([page, each]) => [page, Object.keys(each)]);
    expect(keysOf(written)).toEqual(keysOf(english));
  },
);

test("a catalogue without a text, and a language without a catalogue, do not compile", () => {
  // @ts-expect-error The other texts of the inbox are missing.
  const incomplete: typeof INBOX = { title: "Posteingang" };
  // @ts-expect-error There is no catalogue for the languages of the list.
  const none: InEachLanguage<{ hello: string }> = {};
  expect([incomplete, none]).toHaveLength(2);
});
