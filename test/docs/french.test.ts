import { expect, test } from "vitest";

const CATALOGUES = import.meta.glob<string>(["../../web/texts/fr/*", "../../src/*/messages/fr.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The texts in the source of a catalogue: strings, and the parts of templates outside `${…}`. */
const textsOf = (source: string): string[] =>
  [...source.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].flatMap(([, text, template]) =>
    text === undefined ? (template ?? "").split(/\$\{[^}]*\}?/) : [text],
  );

test("French texts have spaces that do not break before double signs and within quotation marks", () => {
  expect(Object.keys(CATALOGUES).length).toBeGreaterThan(30);
  const wrong = Object.entries(CATALOGUES).flatMap(([path, source]) =>
    textsOf(source)
      .filter((text) =>
        /[\p{L}»’)%] ?[!?;](?=\s|$)|[\p{L}»’)%] :(?=\s|$)|« | »|^ [!?;:](?=\s|$)|\p{L}'\p{L}/u.test(text),
      )
      .map((text) => `${path}: ${text}`),
  );
  expect(wrong).toEqual([]);
});
