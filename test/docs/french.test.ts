import { expect, test } from "vitest";

const CATALOGUES = import.meta.glob<string>(
  ["../../web/texts/fr/*", "../../src/*/messages/fr.ts", "../../src/platform/languages/sentences/fr/*.ts"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

/** The English sentences that are the keys of translations. */
const KEYS = /^ {2}"(?:[^"\\]|\\.)*":/gm;

/** The texts in the source of a catalogue: strings, and the parts of templates outside `${…}`. */
const textsOf = (source: string): string[] =>
  [...source.replace(KEYS, "").matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].flatMap(([, text, template]) =>
    text === undefined ? (template ?? "").split(/\$\{[^}]*\}?/) : [text],
  );

test("French texts have spaces that do not break before double signs and within quotation marks", () => {
  expect(Object.keys(CATALOGUES).length).toBeGreaterThan(30);
  const wrong = Object.entries(CATALOGUES).flatMap(([path, source]) =>
    textsOf(source)
      // Between two templates in one template, this is code.
      .filter((text) => text !== " : ")
      .filter((text) =>
        /[\p{L}»’)%] ?[!?;](?=\s|$)|[\p{L}»’)%] :(?=\s|$)|« | »|^ [!?;:](?=\s|$)|\p{L}'\p{L}/u.test(text),
      )
      .map((text) => `${path}: ${text}`),
  );
  expect(wrong).toEqual([]);
});
