import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stemmer as english } from "stemmer";
import { fold } from "./fold";
import { contains, LANGUAGES, type Language, type LanguageSet, setOf } from "./languages";

/**
 * The stemmer of each language: Porter's for English, Snowball's for the others. They get words without accents,
 * because people omit them. The accents that Snowball needs in an ending are added again. Snowball has none for Hebrew and Persian: their
 * words lose the article and the endings of the plural.
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
  portuguese: (surface) =>
    portuguese(
      surface
        .replace(/oes$/, "ao")
        .replace(/ais$/, "al")
        .replace(/eis$/, "el")
        .replace(/ns$/, "m")
        .replace(/cao$/, "ção"),
    ),
  romanian,
  hungarian,
  turkish: (surface) => turkish(harmonized(surface)),
  greek,
  russian: (surface) => russian(surface.replace(/(?<=[аеоуыиэюя])и$/, "й")),
  arabic: (surface) => arabic(surface.replace(/^[وف]?(?:[بك]?ال|لل)(?=.{2})/, "")),
  hebrew: (surface) => surface.replace(/^(?:כש|ש)?ו?ה(?=.{3})/, "").replace(/(?<=.{3})(?:ים|ות)$/, ""),
  persian: (surface) => surface.replace(/(?<=.{2})(?:هايي|هاي|ها)$|(?<=.{3})(?:ترين|تر)$/, ""),
};

/**
 * A folded Turkish word with the vowels that its suffixes need: they have all front or all back vowels, and the last a or e of the
 * word tells which.
 */
function harmonized(surface: string): string {
  const last = /[ae](?=[^ae]*$)/.exec(surface)?.[0];
  if (last === "e") return surface.replace(/[ou]/g, (vowel) => (vowel === "o" ? "ö" : "ü"));
  return last === "a" ? surface.replaceAll("i", "ı") : surface;
}

/** Caches of stems in this isolate, because words repeat. */
const caches = new Map<Language, Map<string, string>>();
const MAX_STEMS = 10_000;

/** The letters of the languages that are not written in Latin letters. Folded words have no accents. */
const LETTERS: Readonly<Partial<Record<Language, RegExp>>> = {
  greek: /^[α-ω]+$/,
  russian: /^[а-яё]+$/,
  arabic: /^[ء-ي]+$/,
  hebrew: /^[א-ת]+$/,
  persian: /^[ء-يپچژگ]+$/,
};
const LATIN = /^[a-z]+$/;
/** Longest stem that can begin with another letter than its word: a term has one digit for the letters to remove. */
const MAX_CHANGED_LENGTH = 35;

/** Whether stemmers change a word: more than two letters of the alphabet of the language. */
const isStemmed = (surface: string, language: Language): boolean =>
  surface.length > 2 && (LETTERS[language] ?? LATIN).test(surface);

/**
 * The stem of a folded word in a language. In Latin letters, it begins with the same letter; Arabic and Hebrew words lose their article.
 */
export function stemOf(surface: string, language: Language): string {
  if (!isStemmed(surface, language)) return surface;
  const stems = caches.get(language) ?? new Map<string, string>();
  caches.set(language, stems);
  const known = stems.get(surface);
  if (known !== undefined) return known;
  if (stems.size >= MAX_STEMS) stems.clear();
  const made = fold(STEMMERS[language](surface));
  const isKept = language in LETTERS ? made.length > 1 && made.length <= MAX_CHANGED_LENGTH : made[0] === surface[0];
  const stem = isKept ? made : surface;
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
  portuguese: "os as es ar er ir ado ada ados adas ido ida acao acoes ando endo mente idade avel".split(" "),
  romanian: "ul ului uri urile ele elor ilor are ere ire ate ata atul ator".split(" "),
  hungarian: "ek ok ak et ot at ban ben nak nek val vel bol rol tol ra re hoz".split(" "),
  turkish: "lar ler lari leri in un de da den dan nin nun lik luk".split(" "),
  greek: "ος ου οι ων ους ες εις ης ας εων ματα ματος".split(" "),
  russian: "ов ам ами ах ой ого ому ыми ия ии ий ие ение ения ость ости ный ная ные".split(" "),
  arabic: "ات ون ين ها هم".split(" "),
  hebrew: ["ים", "ות"],
  persian: "ها هاي".split(" "),
};

/**
 * Stems of possible completions that are shorter than the typed text ("constructi" → "construct"). A scan of terms that
 * begin with the typed text would miss them.
 */
export function completedStems(typed: string): Stem[] {
  if (!/^\p{L}{4,}$/u.test(typed)) return [];
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
