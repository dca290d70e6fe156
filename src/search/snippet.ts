import type { Query } from "./query/parse";
import { type Word, wordsOf } from "./text/words";

/** Characters of a snippet, about. */
const SNIPPET_LENGTH = 240;
/** Characters of a text that are looked at; a passage has far fewer. */
const LONGEST_TEXT = 20_000;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

/** Which words of a text answer a query. */
export interface Matcher {
  matches: (word: Word) => boolean;
  /** First letters of all of them. */
  initials: ReadonlySet<string>;
}

export function matcherOf({ words }: Pick<Query, "words">): Matcher {
  const stems = new Set(words.map(({ stem }) => stem));
  const prefixes = words.filter(({ prefix }) => prefix).map(({ surface }) => surface);
  return {
    matches: ({ stem, surface }) => stems.has(stem) || prefixes.some((prefix) => surface.startsWith(prefix)),
    initials: new Set(words.map(({ stem }) => stem.charAt(0))),
  };
}

/**
 * An excerpt of a text around the most matches, HTML-escaped, with each match in `<mark>`; the
 * text's beginning where nothing matches.
 */
export function snippetOf(text: string, { matches, initials }: Matcher): string {
  const whole = text.slice(0, LONGEST_TEXT);
  const found = [...wordsOf(whole, initials)].filter(matches);
  const { from, to } = window(whole, found);
  let [html, at] = ["", from];
  for (const { start, end } of found) {
    if (start < at && end <= at) continue;
    if (start < from || end > to) continue;
    html += escapeHtml(whole.slice(at, Math.max(at, start)));
    const marked = escapeHtml(whole.slice(Math.max(at, start), end));
    // Overlapping pairs of characters grow one mark.
    html =
      html.endsWith("</mark>") && start <= at && at > from
        ? `${html.slice(0, -7)}${marked}</mark>`
        : `${html}<mark>${marked}</mark>`;
    at = end;
  }
  html += escapeHtml(whole.slice(at, to));
  return `${from > 0 ? "…" : ""}${html.replace(/\s+/g, " ").trim()}${to < whole.length ? "…" : ""}`;
}

/** The stretch of about SNIPPET_LENGTH characters with the most distinct matches, cut between words. */
function window(text: string, found: readonly Word[]): { from: number; to: number } {
  let [best, most] = [0, 0];
  for (const [i, first] of found.entries()) {
    const stems = new Set<string>();
    for (let j = i; j < found.length; j += 1) {
      const word = found[j];
      if (word === undefined || word.end > first.start + SNIPPET_LENGTH * 0.8) break;
      stems.add(word.stem);
    }
    if (stems.size > most) [best, most] = [first.start, stems.size];
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

/** Moves a cut out of the middle of a surrogate pair. */
const whole = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at);
