import { expect, test } from "vitest";
import { languageOf, paragraphsOf } from "../../src/documents/recognition/text";
import {
  DEFAULT_RECOGNITION_LANGUAGES,
  RECOGNITION_LANGUAGES,
  type RecognitionLanguage,
} from "../../src/platform/languages/recognition";
import { LANGUAGES, type Language } from "../../src/search/text";
import { REPORTS } from "../search/languages";

const named = (text: string, given: readonly RecognitionLanguage[] = DEFAULT_RECOGNITION_LANGUAGES) =>
  languageOf(
    text.split(" ").map((word) => ({ text: word })),
    given,
  );
const NAMES: Readonly<Partial<Record<Language, RecognitionLanguage>>> = { english: "en", german: "de" };
const ALL_NAMES: typeof NAMES = {
  ...NAMES,
  ...{ dutch: "nl", french: "fr", italian: "it", polish: "pl", portuguese: "pt", spanish: "es" },
};

test.each(LANGUAGES)("the language of a scan is one that it was read with, or is not named: %s", (language) => {
  const { text } = REPORTS[language];
  expect(named(text)).toBe(NAMES[language] ?? null);
  expect(named(text, RECOGNITION_LANGUAGES)).toBe(ALL_NAMES[language] ?? null);
});

test.each([
  ["Les plans des ponts et des routes sont dans le dossier des travaux, avec les notes de chantier.", null],
  ["De brug is in de winter dicht en die van de haven ook, met een bord bij het pad.", null],
  ["Most jest w dobrym stanie, a filary nie są do naprawy.", null],
  ["Broen er lukket, og der er ingen plads til den kran, som står på kajen.", null],
  ["Invoice 2024-0013 DN 150 PN 16 Type A", null],
  ["THE BRIDGE IS CLOSED, AND THE ROAD TO IT.", "en"],
  ["Die Brücke ist für den Verkehr gesperrt, und der Weg auf die Insel ist nicht frei.", "de"],
])("%s: %s", (text, language) => {
  expect(named(text)).toBe(language);
});

test("the words of a page are joined to paragraphs, and words that lines divide to words", () => {
  const words = ["Das", "Kel-", "ler-", "fens-", "ter", "A-", "B", "2-", "mal"].map((text, n) => ({
    text,
    box: [0, 0, 1, 1] as [number, number, number, number],
    confidence: 90,
    line: `1.1.${n}`,
  }));
  expect(paragraphsOf(words)).toEqual(["Das Kellerfenster A- B 2- mal"]);
  const long = Array.from({ length: 66_000 }, (_, n) => ({ ...words[0]!, text: "ab-", line: `1.1.${n}` }));
  expect(paragraphsOf(long)).toEqual([`${"ab".repeat(66_000)}-`]);
});
