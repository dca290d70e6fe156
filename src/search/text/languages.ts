/** Languages whose words are stemmed. */
export const LANGUAGES = [
  "english",
  "german",
  "french",
  "spanish",
  "italian",
  "dutch",
  "swedish",
  "norwegian",
  "danish",
  "finnish",
  "portuguese",
  "romanian",
  "hungarian",
  "turkish",
  "greek",
  "russian",
  "arabic",
  "hebrew",
  "persian",
] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of a text that shows no other one. */
export const DEFAULT_LANGUAGE: Language = "english";

/** A set of languages: one bit for each, in the order of LANGUAGES. The index stores it. */
export type LanguageSet = number;

export const setOf = (...languages: readonly Language[]): LanguageSet =>
  languages.reduce((set, language) => set | (1 << LANGUAGES.indexOf(language)), 0);

export const ALL_LANGUAGES: LanguageSet = setOf(...LANGUAGES);

/** The languages of a set, in the order of LANGUAGES. */
export const languagesIn = (set: LanguageSet): Language[] => LANGUAGES.filter((language) => contains(set, language));

export const contains = (set: LanguageSet, language: Language): boolean => (set & setOf(language)) !== 0;
