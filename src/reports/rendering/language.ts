import { DomainError } from "../../platform/errors";
import { DEFAULT_LANGUAGE, type ReaderLanguage } from "../../platform/languages/languages";
import { LABELS, type Labels } from "./labels";

/** Right-to-left scripts. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  "Adlm",
  "Arab",
  "Hebr",
  "Mand",
  "Nkoo",
  "Rohg",
  "Samr",
  "Syrc",
  "Thaa",
]);

/** The language of a page for the words, dates and times of the service. */
export interface PageLanguage {
  /** Canonical BCP 47 tag. */
  tag: string;
  /** Tags for numbers and dates, by preference. */
  tags: readonly string[];
  direction: "ltr" | "rtl";
  labels: Labels;
  /** Formats the local day of a moment at the location. */
  day(at: number): string;
  /** Formats the local day, time and time zone of a moment at the location. */
  moment(at: number): string;
}

const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

/** The canonical form of a language tag such as `de` or `pt-BR`; null for other texts. */
function canonicalTag(text: string): string | null {
  if (!TAG.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * The language of a page: the field `language` of its draft, else the language of its layout, else the reader's. Words and
 * dates are in that language. Without a region, English dates have the form of most countries: `20 November 2026`.
 * @throws DomainError rule-violated for a `language` that is not a language tag.
 */
export function languageOf(
  said: unknown,
  layout: string,
  timeZone: string,
  reader: ReaderLanguage = DEFAULT_LANGUAGE,
): PageLanguage {
  const wanted = said === undefined || said === null || said === "" ? null : said;
  const tagOfDraft = typeof wanted === "string" ? canonicalTag(wanted) : null;
  if (wanted !== null && tagOfDraft === null)
    throw new DomainError(
      "rule-violated",
      'The draft\'s "language" is not a language tag. Write one such as "de" or "pt-BR", or leave the field out.',
    );
  const [, written = ""] = /<html[^>]*\slang=["']?([a-z0-9-]+)/i.exec(layout.slice(0, 2_000)) ?? [];
  const tag = tagOfDraft ?? canonicalTag(written) ?? reader;
  const { language, script } = new Intl.Locale(tag).maximize();
  const first = LABELS[DEFAULT_LANGUAGE];
  const own = LABELS[language];
  const dates = own?.dates ?? [];
  const tags = [...(tag === language ? dates : [tag, ...dates]), tag, ...(first.dates ?? [])];
  return {
    tag,
    tags,
    direction: RIGHT_TO_LEFT.has(script ?? "") ? "rtl" : "ltr",
    labels: own ?? first,
    ...datesIn(tags, timeZone),
  };
}

/** Formats dates with the first of `tags` that `Intl` supports. */
function datesIn(tags: string[], timeZone: string): Pick<PageLanguage, "day" | "moment"> {
  const date = { year: "numeric", month: "long", day: "numeric" } as const;
  const days = new Intl.DateTimeFormat(tags, { timeZone, ...date });
  const clock = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
  const moments = new Intl.DateTimeFormat(tags, { timeZone, ...date, ...clock });
  return { day: (at) => days.format(at), moment: (at) => moments.format(at) };
}
