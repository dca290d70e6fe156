import { levelAt, READ, type UserCaller } from "../access";
import { escapeHtml } from "../platform/html";
import { toUtc } from "../platform/time";
import { RESULT_TYPE_OF } from "./kinds";
import type { Query } from "./query";
import type { Hit } from "./ranking";
import type { SearchResult } from "./schemas";
import {
  codesIn,
  completedStems,
  contains,
  DEFAULT_LANGUAGE,
  detectLanguage,
  hasCompounds,
  LANGUAGES,
  type Language,
  type LanguageSet,
  languagesIn,
  ownWords,
  partsOf,
  setOf,
  stemOf,
  type Word,
  wordsOf,
} from "./text";

/** The type in lower case, a colon, and the id of the resource. A passage has the id of its document and its chunk index. */
export function resultIdOf(hit: Pick<Hit, "type" | "resource">, chunkIndex: number | null): string {
  const id = hit.type === "text" ? `${hit.resource}.${chunkIndex ?? 0}` : hit.resource;
  return `${RESULT_TYPE_OF[hit.type].toLowerCase()}:${id}`;
}

/** The names of the places of a hit, each null if the caller may not see that place. */
function placeNames({ facts }: UserCaller, { detail }: Hit): Pick<SearchResult, "clusterName" | "locationName"> {
  const { tenantId, organizationId, clusterId, locationId } = detail;
  const cluster = { tenantId, organizationId, clusterId };
  return {
    clusterName: levelAt(facts, "ClusterView", cluster) >= READ ? detail.clusterName : null,
    locationName: levelAt(facts, "LocationView", { ...cluster, locationId }) >= READ ? detail.locationName : null,
  };
}

/** A hit as the API returns it to the caller. Its snippet is the snippet of its best passage. */
export function presentHit(caller: UserCaller, hit: Hit, rankPosition: number, matcher: Matcher): SearchResult {
  const { detail } = hit;
  const passages = hit.passages.map(({ score, text, source, languages }) => ({
    resultId: resultIdOf({ type: "text", resource: hit.resource }, source.chunkIndex),
    score,
    snippet: snippetOf(text, matcher, languages, true),
    source,
  }));
  const ownSnippet = () => (detail.text === null ? null : snippetOf(detail.text, matcher, detail.languages, false));
  const titleLanguages = [...new Set([...stemmedIn(detail.languages), ...stemmedIn(detail.ownLanguages)])];
  const snippet = passages[0]?.snippet ?? ownSnippet();
  return {
    resultId: resultIdOf(hit, detail.source?.chunkIndex ?? null),
    resultType: RESULT_TYPE_OF[hit.type],
    rankPosition,
    score: hit.score,
    title: detail.title,
    markedTitle: markedOf(detail.title, matcher, titleLanguages, snippet?.includes("<mark>") !== true),
    subtitle: detail.subtitle,
    snippet,
    source: detail.source,
    passages,
    passageCount: hit.passageCount,
    organizationId: detail.organizationId,
    clusterId: detail.clusterId,
    locationId: detail.locationId,
    ...placeNames(caller, hit),
    updatedAtUtc: toUtc(detail.updatedAt),
  };
}

/** Approximate length of a snippet, in characters. */
const SNIPPET_LENGTH = 240;
/** Characters of a text that are searched for matches. A passage has far fewer. */
const MAX_TEXT_LENGTH = 20_000;

/** Letters of the shortest stem that is looked for inside a compound, and letters at its end that an inflection may change. */
const [MIN_STEM_IN_COMPOUND, CHANGED_LETTERS] = [3, 2];

/** Decides which parts of a text match a query. */
interface Matcher {
  /** Whether a word of a script with spaces matches in one of the languages. `own` has the words that make its parts known. */
  matches: (word: Word, languages: readonly Language[], own: ReadonlySet<string>) => boolean;
  /** Whether a word contains a stem of the query, or may be a form of it in any language. */
  resembles: (word: Word) => boolean;
  /** The folded words of the query. */
  asked: readonly string[];
  /** Words that are marked as one where they occur next to each other. */
  runs: readonly (readonly string[])[];
  /** First letters of all matching words. */
  initials: ReadonlySet<string>;
}

/**
 * The stems of a query, with the languages in which each is a stem: the stems of its words, and of beginnings that
 * ranking looks up.
 */
function stemsOfQuery(words: Query["words"]): Map<string, LanguageSet> {
  const stems = new Map<string, LanguageSet>();
  const begun = words.flatMap(({ prefix, surface }) => (prefix ? completedStems(surface) : []));
  for (const { stem, languages } of [...words.flatMap((word) => word.stems), ...begun])
    stems.set(stem, (stems.get(stem) ?? 0) | languages);
  return stems;
}

export function matcherOf({ words, runs }: Pick<Query, "words" | "runs">): Matcher {
  const stems = stemsOfQuery(words);
  const prefixes = words.flatMap(({ prefix, spellings }) => (prefix ? spellings.map(({ surface }) => surface) : []));
  const begins = (text: string): boolean => prefixes.some((prefix) => text.startsWith(prefix));
  const isStem = (stem: string, language: Language): boolean =>
    ((stems.get(stem) ?? 0) & setOf(language)) !== 0 || begins(stem);
  const asked = words.flatMap((word) => word.spellings.map(({ surface }) => surface));
  const inside = [...new Set([...stems.keys(), ...prefixes])]
    .filter((stem) => stem.length >= MIN_STEM_IN_COMPOUND)
    .map((stem) => stem.slice(0, Math.max(MIN_STEM_IN_COMPOUND, stem.length - CHANGED_LETTERS)));
  const mayContain = (surface: string): boolean => inside.some((stem) => surface.includes(stem));
  // Most words contain no stem, so their parts are not looked for.
  const hasPart = (surface: string, language: Language, own: ReadonlySet<string>): boolean =>
    hasCompounds(language) &&
    mayContain(surface) &&
    partsOf(surface, language, own).some((part) => isStem(stemOf(part, language), language));
  return {
    matches: ({ surface, firstEnd }, languages, own) =>
      firstEnd === undefined &&
      (begins(surface) ||
        languages.some((language) => isStem(stemOf(surface, language), language) || hasPart(surface, language, own))),
    resembles: ({ surface, firstEnd }) =>
      firstEnd === undefined &&
      (mayContain(surface) || LANGUAGES.some((language) => stems.has(stemOf(surface, language)))),
    asked,
    runs,
    initials: new Set([...stems.keys(), ...prefixes, ...runs.flat()].map((stem) => stem.charAt(0))),
  };
}

/** A part of a text that matches a query. */
interface Match {
  start: number;
  end: number;
  /** Equal for equal parts of the query. */
  of: string;
}

/** The languages in which an entry was stemmed: the default one if it shows none. */
const stemmedIn = (set: LanguageSet): readonly Language[] => (set === 0 ? [DEFAULT_LANGUAGE] : languagesIn(set));

/**
 * The language of a text whose entry was stemmed in the languages of `stemmed`; all of them if its own is not known. Most
 * entries have one language: to detect it in each text would take most of the time of a search.
 */
function languagesOfText(text: string, stemmed: LanguageSet): readonly Language[] {
  const all = stemmedIn(stemmed);
  if (all.length === 1) return all;
  const detected = detectLanguage(text);
  return detected !== null && contains(stemmed, detected) ? [detected] : all;
}

/** All matches in reading order. They may overlap. */
function matchesIn(text: string, { matches, asked, runs, initials }: Matcher, languages: readonly Language[]): Match[] {
  const compounding = languages.filter(hasCompounds);
  // A compound can begin with any letter.
  const words = [...wordsOf(text, languages[0], compounding.length > 0 ? undefined : initials)];
  const own = new Set([...asked, ...compounding.flatMap((language) => ownWords(text, language))]);
  const alone = words
    .filter((word) => matches(word, languages, own))
    .map(({ start, end, stem }) => ({ start, end, of: stem }));
  // A code is marked in its other form where none of its words matches by itself.
  const codes = [...codesIn(text)]
    .filter(({ surface }) => matches({ surface, stem: surface, start: 0, end: 0 }, languages, own))
    .filter((code) => !alone.some(({ start, end }) => start < code.end && end > code.start))
    .map(({ start, end, surface }) => ({ start, end, of: surface }));
  return [...alone, ...codes, ...runs.flatMap((run) => runIn(text, words, run))].sort(
    (a, b) => a.start - b.start || b.end - a.end,
  );
}

/** The words that resemble one of the query, where ranking found a word that the language of the text does not show. */
const resembling = (text: string, { resembles }: Matcher): Match[] =>
  [...wordsOf(text)].filter(resembles).map(({ start, end, stem }) => ({ start, end, of: stem }));

/** All complete occurrences of a run. Without one, its partial occurrences of at least two words, else of one. */
function runIn(text: string, words: readonly Word[], run: readonly string[]): Match[] {
  const [only = ""] = run;
  const single = run.length === 1 && [...only].length === 1;
  const chains: { first: Word; last: Word; length: number }[] = [];
  for (let i = 0; i < words.length; i += 1) {
    let best: (typeof chains)[number] | undefined;
    for (const [from, surface] of run.entries()) {
      const first = words[i];
      if (
        first === undefined ||
        !(single ? first.firstEnd !== undefined && first.surface.startsWith(only) : first.surface === surface)
      )
        continue;
      let [length, last] = [1, first];
      for (
        let next = words[i + 1];
        next !== undefined && next.surface === run[from + length];
        next = words[i + length]
      ) {
        const isApart =
          next.firstEnd === undefined ? LETTER_OR_DIGIT.test(text.slice(last.end, next.start)) : next.start >= last.end;
        if (isApart) break;
        [length, last] = [length + 1, next];
      }
      if (length > (best?.length ?? 0)) best = { first, last, length };
    }
    if (best === undefined) continue;
    chains.push(best);
    i += best.length - 1;
  }
  const longest = Math.max(0, ...chains.map(({ length }) => length));
  const least = longest === run.length ? run.length : Math.min(longest, 2);
  return chains
    .filter(({ length }) => length >= least)
    .map(({ first, last }) => ({
      start: first.start,
      end: afterMarks(text, single ? (first.firstEnd ?? first.end) : last.end),
      of: run.join(" "),
    }));
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The end of the marks that belong to the character before them. */
const afterMarks = (text: string, end: number): number => end + (/^\p{M}+/u.exec(text.slice(end))?.[0].length ?? 0);

/**
 * An HTML-escaped excerpt around the most matches, with each match in `<mark>`. Without a match, the beginning of the
 * text. `stemmed`: the languages in which its entry was stemmed. `holds`: whether ranking found a word of the query in it.
 */
export function snippetOf(text: string, matcher: Matcher, stemmed: LanguageSet, holds: boolean): string {
  const whole = text.slice(0, MAX_TEXT_LENGTH);
  const exact = matchesIn(whole, matcher, languagesOfText(whole, stemmed));
  const found = exact.length === 0 && holds ? resembling(whole, matcher) : exact;
  const { from, to } = window(whole, found);
  const html = markedPart(whole, found, from, to);
  return `${from > 0 ? "…" : ""}${html.replace(/\s+/g, " ").trim()}${to < whole.length ? "…" : ""}`;
}

/** A whole title, HTML-escaped, with each match in `<mark>`. Its language is one of the languages of its entries. */
function markedOf(title: string, matcher: Matcher, stemmed: readonly Language[], holds: boolean): string {
  const exact = matchesIn(title, matcher, stemmed);
  return markedPart(title, exact.length === 0 && holds ? resembling(title, matcher) : exact, 0, title.length);
}

/** A part of a text, HTML-escaped, with each match that is whole in it in `<mark>`. */
function markedPart(whole: string, found: readonly Match[], from: number, to: number): string {
  let [html, at] = ["", from];
  for (const { start, end } of found) {
    if (end <= at || start < from || end > to) continue;
    html += escapeHtml(whole.slice(at, Math.max(at, start)));
    const marked = escapeHtml(whole.slice(Math.max(at, start), end));
    // Matches that overlap or touch, of scripts without spaces, grow one mark.
    html =
      html.endsWith("</mark>") && start <= at && at > from
        ? `${html.slice(0, -7)}${marked}</mark>`
        : `${html}<mark>${marked}</mark>`;
    at = end;
  }
  return html + escapeHtml(whole.slice(at, to));
}

/** The part of about SNIPPET_LENGTH characters with the most distinct matches, cut between words. */
function window(text: string, found: readonly Match[]): { from: number; to: number } {
  let [best, most] = [0, 0];
  for (const [i, first] of found.entries()) {
    const parts = new Set<string>();
    for (let j = i; j < found.length; j += 1) {
      const match = found[j];
      if (match === undefined || match.end > first.start + SNIPPET_LENGTH * 0.8) break;
      parts.add(match.of);
    }
    if (parts.size > most) [best, most] = [first.start, parts.size];
  }
  const from = best < SNIPPET_LENGTH / 4 ? 0 : afterSpace(text, best - SNIPPET_LENGTH / 5, best);
  const end = Math.min(text.length, from + SNIPPET_LENGTH);
  return { from, to: end === text.length ? end : beforeSpace(text, end, from + SNIPPET_LENGTH / 2) };
}

function afterSpace(text: string, from: number, latest: number): number {
  const at = text.slice(Math.floor(from), latest).search(/\s/);
  return at < 0 ? whole(text, Math.floor(from)) : Math.floor(from) + at + 1;
}

function beforeSpace(text: string, to: number, earliest: number): number {
  const at = text.slice(0, to).search(/\s\S*$/);
  return at < earliest ? whole(text, to) : at;
}

/** Moves a position out of the middle of a surrogate pair. */
const whole = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at);
