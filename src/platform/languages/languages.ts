import languages from "./languages.json";

/**
 * A language in which people read the service: its pages, notifications and mails. `languages.json` is the list; each has its
 * name in itself. Documents, queries and reports have other languages.
 */
export type ReaderLanguage = keyof typeof languages;

export const LANGUAGES = Object.keys(languages) as [ReaderLanguage, ...ReaderLanguage[]];

/** The language of people who have chosen none, the first of the list. */
export const DEFAULT_LANGUAGE: ReaderLanguage = LANGUAGES[0];

/** The same texts in each language. A language of the list without them is a type error. */
export type InEachLanguage<Texts> = Readonly<Record<ReaderLanguage, Texts>>;

/** The cookie with the language that a reader has chosen. The pages of the service set it. */
export const LANGUAGE_COOKIE = "language";

/** The name of each language in itself. */
export const LANGUAGE_NAMES: Readonly<Record<ReaderLanguage, string>> = languages;
