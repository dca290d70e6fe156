import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as english } from "stemmer";
import { contains, LANGUAGES, type Language, type LanguageSet, setOf } from "./languages";

/**
 * The stemmer of each language: Porter's for English, Snowball's for the others. They get words without accents,
 * because people omit them. The accents that Snowball needs in an ending are added again.
 */
const STEMMERS: Readonly<Record<Language, (surface: string) => string>> = {
  english,
  german,
  french: (surface) =>
    french(
      surface
        .replace(/ee(s?)$/, "ée$1")
        .replace(/ite(s?)$/, "ité$1")
        .replace(/iere(s?)$/, "ière$1"),
    ),
  spanish: (surface) => spanish(surface.replace(/ion$/, "ión")),
  italian,
  dutch: (surface) => dutch(surface.replace(/ties$/, "tie")),
  swedish: (surface) => swedish(surface.replace(/(kt|nj|ss|nt|rat|tat)or$/, "$1ör")),
  norwegian,
  danish,
  finnish,
};

const ACCENTS = /[\u0300-\u036f]/gu;

/** Caches of stems in this isolate, because words repeat. */
const caches = new Map<Language, Map<string, string>>();
const MAX_STEMS = 10_000;

/** Whether stemmers change a word: more than two letters of the Latin alphabet, without accents. */
const isStemmed = (surface: string): boolean => surface.length > 2 && /^[a-z]+$/.test(surface);

/** The stem of a folded word in a language. It begins with the same letter. */
export function stemOf(surface: string, language: Language): string {
  if (!isStemmed(surface)) return surface;
  const stems = caches.get(language) ?? new Map<string, string>();
  caches.set(language, stems);
  const known = stems.get(surface);
  if (known !== undefined) return known;
  if (stems.size >= MAX_STEMS) stems.clear();
  const made = STEMMERS[language](surface).normalize("NFD").replace(ACCENTS, "");
  const stem = made.startsWith(surface.charAt(0)) ? made : surface;
  stems.set(surface, stem);
  return stem;
}

/** A stem, and the languages in which it is one. */
export interface Stem {
  stem: string;
  languages: LanguageSet;
}

/** Every stem once, with the languages of all its entries. */
export function mergeStems(stems: Iterable<Stem>): Stem[] {
  const merged = new Map<string, LanguageSet>();
  for (const { stem, languages } of stems) merged.set(stem, (merged.get(stem) ?? 0) | languages);
  return [...merged].map(([stem, languages]) => ({ stem, languages }));
}

/** The stems of some forms of a word, each form in its languages. */
export const stemsOf = (forms: readonly { surface: string; languages: LanguageSet }[]): Stem[] =>
  mergeStems(
    forms.flatMap(({ surface, languages }) =>
      LANGUAGES.filter((language) => contains(languages, language)).map((language) => ({
        stem: stemOf(surface, language),
        languages: setOf(language),
      })),
    ),
  );

/** Endings that the stemmers remove. Endings of one letter complete no word that is typed. */
const ENDINGS: Readonly<Record<Language, readonly string[]>> = {
  english: (
    "es ed ing ion ions er ers ly al ally ment ments ness ity ities ive ively ism able ably ible ibly ance ence ant ent " +
    "ful fully less ous ously ize izes ized izing ization ational ate ated ates ating ation ations"
  ).split(" "),
  german: "en er es em ern ung ungen heit heiten keit keiten lich liche lichen isch ische ischen ige igen".split(" "),
  french:
    "es er ez ee ees ation ations ement ements ite ites ive ives eur eurs euse ique iques able ables ance ence".split(
      " ",
    ),
  spanish:
    "os as es ar er ir ado ada ados adas ido ida acion aciones ando iendo mente idad able ables ista ivo iva".split(
      " ",
    ),
  italian: "are ere ire ato ata ati ate azione azioni mente ita ando endo ista ivo iva".split(" "),
  dutch: "en er es ing ingen heid heden lijk lijke".split(" "),
  swedish: "en et ar er or arna erna orna ade ning ningar ningen heten lig liga".split(" "),
  norwegian: "en et er ene ede te ing ingen heten heter lig lige".split(" "),
  danish: "en et er ene erne ede ing inger ingen hed heden lig lige".split(" "),
  finnish: "en in ssa sta lla lta lle ksi iin een ien ista issa illa ille".split(" "),
};

/**
 * Stems of possible completions that are shorter than the typed text ("constructi" → "construct"). A scan of terms that
 * begin with the typed text would miss them.
 */
export function completedStems(typed: string): Stem[] {
  if (!/^[a-z]{4,}$/.test(typed)) return [];
  const stems: Stem[] = [];
  for (const language of LANGUAGES)
    for (const ending of ENDINGS[language])
      for (let cut = 1; cut < ending.length; cut += 1) {
        if (!typed.endsWith(ending.slice(0, cut))) continue;
        const stem = stemOf(typed + ending.slice(cut), language);
        if (stem.length >= 3 && !stem.startsWith(typed)) stems.push({ stem, languages: setOf(language) });
      }
  return mergeStems(stems);
}
