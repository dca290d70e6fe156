/**
 * The languages that the recognition of scans can read, by their BCP 47 codes: the name of the data of the engine
 * (`@tesseract.js-data`, which scripts/setup/recognition.mjs brings into the build), and frequent words, by which the language of a
 * page is told.
 */
const LANGUAGES = {
  de: {
    model: "deu",
    frequent: "der die das und ist von mit für den auf nicht ein eine dem des im zu sich werden bei",
  },
  en: { model: "eng", frequent: "the of and to is for that with as are this from be by not at have it was which" },
  fr: { model: "fra", frequent: "de la le les et des du en un une est que qui dans pour sur au par pas avec à" },
  es: { model: "spa", frequent: "de la que el en y a los se del las un por con una su para es al lo" },
  it: { model: "ita", frequent: "di e il la che in un a per è una sono con non del le si da nel della" },
  nl: { model: "nld", frequent: "de het een en van in is dat op te zijn met voor niet aan er om ook als door" },
  pl: { model: "pol", frequent: "i w na z do się nie to jest że o jak po za od dla przez przy oraz są" },
  pt: { model: "por", frequent: "de a o que e do da em um para com não uma os no se na por as dos" },
} as const;

export type RecognitionLanguage = keyof typeof LANGUAGES;

export const RECOGNITION_LANGUAGES = Object.keys(LANGUAGES) as [RecognitionLanguage, ...RecognitionLanguage[]];

/**
 * The languages of an organization that has chosen none, and of personal workspaces. Together they cost up to 0.7 CPU seconds a page
 * more than one of them, and read pages of both: German read as English alone loses one word in eight.
 */
export const DEFAULT_RECOGNITION_LANGUAGES: readonly RecognitionLanguage[] = ["de", "en"];

/** The name of the engine's data of a language. */
export const modelOf = (language: RecognitionLanguage): string => LANGUAGES[language].model;

/** The frequent words of a language. */
export const frequentWordsOf = (language: RecognitionLanguage): readonly string[] =>
  LANGUAGES[language].frequent.split(" ");
