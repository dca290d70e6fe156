/* Numbers, plurals, sizes, dates and the order of names, by the rules of `Intl` for a language. */

type Words = Partial<Record<Intl.LDMLPluralRule, string>>;

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

/**
 * The forms of a language.
 * @param tag the BCP 47 tag of the language, with the region whose forms are written
 * @param tidyDate corrects a date as `Intl` writes it
 */
export function formsOf(tag: string, tidyDate: (date: string) => string = (date) => date) {
  const plurals = new Intl.PluralRules(tag);
  const natural = new Intl.Collator(tag, { numeric: true, sensitivity: "base" });
  const numbers = new Map<string, Intl.NumberFormat>();

  const number = (value: number, options: Intl.NumberFormatOptions = {}): string => {
    const key = JSON.stringify(options);
    const format = numbers.get(key) ?? new Intl.NumberFormat(tag, options);
    numbers.set(key, format);
    return format.format(value);
  };
  /** The word for a count. `more` has forms of languages with more than two. */
  const plural = (count: number, one: string, other: string, more: Words = {}): string =>
    ({ one, ...more })[plurals.select(count) as "one"] ?? other;

  return {
    number,
    plural,
    /** "1 file", "2 files". */
    some: (count: number, one: string, other: string, more?: Words): string =>
      `${number(count)} ${plural(count, one, other, more)}`,
    /** A share: 0.12 is "12%". */
    percent: (share: number): string => number(share, { style: "percent" }),
    /** A number with exactly so many digits after its point. */
    decimal: (value: number, digits: number): string =>
      number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    /** A number of bytes for people: "8.4 MB". */
    sizeOf(bytes: number): string {
      let [value, n] = [bytes, 0];
      while (value >= 1000 && n < UNITS.length - 1) {
        value /= 1000;
        n++;
      }
      const digits = n > 0 && value < 10 ? 1 : 0;
      return number(value, {
        style: "unit",
        unit: UNITS[n],
        unitDisplay: n === 0 ? "long" : "short",
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
    },
    /** Names in one text: "Ada, Grace, Hedy". */
    list: (names: readonly string[]): string =>
      new Intl.ListFormat(tag, { type: "unit", style: "short" }).format(names),
    /** Writes moments, milliseconds since the epoch, with these parts. */
    dateFormat(parts: Intl.DateTimeFormatOptions): (moment: number | Date) => string {
      const format = new Intl.DateTimeFormat(tag, parts);
      return (moment) => tidyDate(format.format(moment));
    },
    /** Orders names as people do: "Quay 2" before "Quay 10", without regard to case and accents. */
    byName: (a: string, b: string): number => natural.compare(a, b),
  };
}
