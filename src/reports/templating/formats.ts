import { type JsonPath, readFieldPath } from "./paths";

/*
 * Helpers that write a value in the form of the page's language: `{{number "price" currency=EUR}}`, `{{date "due" style=long}}`,
 * `{{time "at"}}`, `{{date_time "at" zone=UTC}}`.
 */

export type FormatKind = "number" | "date" | "time" | "date_time";

/** A parsed helper, with its options for `Intl`. */
export type Format =
  | { kind: "number"; options: Intl.NumberFormatOptions }
  | { kind: Exclude<FormatKind, "number">; options: Intl.DateTimeFormatOptions };

/** A value that has no form: it is written as it is. */
export interface FormatProblem {
  code: "value-not-a-number" | "value-not-a-date";
  /** The path of the value, as the template names it. */
  name: string;
  value: unknown;
}

const HELPER = /^(number|date|time|date_time)\s+"([^"]*)"((?:\s+[a-z_]+=(?:"[^"]*"|[^\s"=]+))*)$/;
const OPTION = /([a-z_]+)=(?:"([^"]*)"|([^\s"=]+))/g;
const STYLES = ["short", "medium", "long", "full"] as const;
const STYLE_NAMES = STYLES.join(", ");
/** Most digits after the decimal sign. */
const MAX_DIGITS = 10;

/** Refuses a helper. */
const refused = (wrong: string): { wrong: string } => ({ wrong });

type Read = { path: JsonPath; name: string; format: Format } | { wrong: string };

/** Reads a helper; null if the text is none. */
export function readFormat(text: string): Read | null {
  const helper = HELPER.exec(text);
  if (helper === null) return null;
  const [, kind = "", written = "", list = ""] = helper;
  const path = readFieldPath(written);
  if (path === null) return refused(`"${written}" is not a path, such as report.title`);
  const options = new Map(
    [...list.matchAll(OPTION)].map(([, name = "", quoted, plain]) => [name, quoted ?? plain ?? ""]),
  );
  const format = kind === "number" ? numberFormat(options) : dateFormat(kind as Exclude<FormatKind, "number">, options);
  return "wrong" in format ? format : { path, name: written, format };
}

type Options = ReadonlyMap<string, string>;

const unknownOption = (kind: FormatKind, options: Options, known: readonly string[]): { wrong: string } | null => {
  const other = [...options.keys()].find((name) => !known.includes(name));
  return other === undefined ? null : refused(`the helper ${kind} has no option ${other}: use ${known.join(", ")}`);
};

/** Whether `Intl` takes the options. It throws for a unit, a currency or a time zone that it does not know. */
function isKnown(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

function numberFormat(given: Options): Format | { wrong: string } {
  const unknown = unknownOption("number", given, ["digits", "currency", "unit", "style", "grouping"]);
  if (unknown !== null) return unknown;
  const options: Intl.NumberFormatOptions = {};
  const [digits, currency, unit, style, grouping] = ["digits", "currency", "unit", "style", "grouping"].map((name) =>
    given.get(name),
  );
  if ([currency, unit, style].filter((one) => one !== undefined).length > 1)
    return refused("use only one of currency, unit and style");
  if (digits !== undefined) {
    const [, from = "", to = from] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(digits) ?? [];
    if (from === "" || Number(from) > Number(to) || Number(to) > MAX_DIGITS)
      return refused(`digits is a number, such as 2, or two, such as 0-2, up to ${MAX_DIGITS}`);
    [options.minimumFractionDigits, options.maximumFractionDigits] = [Number(from), Number(to)];
  }
  if (currency !== undefined) {
    Object.assign(options, { style: "currency", currency: currency.toUpperCase() });
    if (!isKnown(() => new Intl.NumberFormat(undefined, options)))
      return refused("currency is a code of three letters, such as EUR");
  }
  if (unit !== undefined) {
    Object.assign(options, { style: "unit", unit });
    if (!isKnown(() => new Intl.NumberFormat(undefined, options)))
      return refused("unit is a name, such as meter, celsius or kilometer-per-hour. Write other units after the tag");
  }
  if (style !== undefined) {
    if (style !== "percent") return refused("the style of a number is percent");
    options.style = style;
  }
  if (grouping !== undefined) {
    if (grouping !== "off") return refused("grouping can only be off");
    options.useGrouping = false;
  }
  return { kind: "number", options };
}

function dateFormat(kind: Exclude<FormatKind, "number">, given: Options): Format | { wrong: string } {
  const unknown = unknownOption(kind, given, kind === "date_time" ? ["style", "time", "zone"] : ["style", "zone"]);
  if (unknown !== null) return unknown;
  const styleOf = (name: string, otherwise: (typeof STYLES)[number]) => {
    const said = given.get(name) ?? otherwise;
    return STYLES.find((one) => one === said);
  };
  const style = styleOf("style", kind === "time" ? "short" : "long");
  const clock = kind === "date_time" ? styleOf("time", "short") : style;
  if (style === undefined) return refused(`style is one of ${STYLE_NAMES}`);
  if (clock === undefined) return refused(`time is one of ${STYLE_NAMES}`);
  const options: Intl.DateTimeFormatOptions = {};
  if (kind !== "time") options.dateStyle = style;
  if (kind !== "date") options.timeStyle = clock;
  const zone = given.get("zone");
  if (zone !== undefined) {
    options.timeZone = zone;
    if (!isKnown(() => new Intl.DateTimeFormat(undefined, options)))
      return refused("zone is the name of a time zone, such as Europe/Berlin");
  }
  return { kind, options };
}

/** The language and the time zone of a page. */
export interface Locale {
  /** Language tags, by preference. */
  tags: readonly string[];
  timeZone: string;
}

/** Writes a value in the form of a helper. Null: the value has no such form. */
export type Formatter = (format: Format, value: unknown) => string | null;

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
/** Most characters of a number in a text. */
const MAX_NUMBER_CHARACTERS = 100;

/** A number, or a text with a decimal point. `Intl` keeps all digits of a text. */
function numberIn(value: unknown): number | Intl.StringNumericLiteral | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text.length <= MAX_NUMBER_CHARACTERS && DECIMAL.test(text) ? (text as Intl.StringNumericLiteral) : null;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const CLOCK = /^\d{2}:\d{2}(?::\d{2})?$/;
const HAS_DAY = 10;

/**
 * A day, a moment, or a local day and time, in the form of ISO 8601. `isLocal`: it is what the calendar and the clock of the place
 * show, so no time zone moves it.
 */
function momentIn(value: unknown, kind: FormatKind): { at: Date; isLocal: boolean } | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (kind === "time" && CLOCK.test(text)) return momentIn(`2000-01-01T${text}`, kind);
  const [, day, clock, offset] = MOMENT.exec(text) ?? [];
  if (day === undefined || (clock === undefined && kind !== "date")) return null;
  const zone = offset === undefined ? "Z" : offset.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, "$1:$2");
  const at = new Date(`${day}T${clock ?? "00:00"}${zone}`);
  // 31 February would be a day in March.
  const isDay = new Date(`${day}T00:00Z`);
  if (Number.isNaN(at.getTime()) || Number.isNaN(isDay.getTime()) || isDay.toISOString().slice(0, HAS_DAY) !== day)
    return null;
  return { at, isLocal: offset === undefined };
}

/** Makes the formatter of a page. It keeps the forms that it has made, because each takes long to make. */
export function formatterIn({ tags, timeZone }: Locale): Formatter {
  const kept = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();
  const keep = <One extends Intl.NumberFormat | Intl.DateTimeFormat>(options: object, make: () => One): One => {
    const key = JSON.stringify(options);
    const made = (kept.get(key) as One | undefined) ?? make();
    kept.set(key, made);
    return made;
  };
  return ({ kind, options }, value) => {
    if (kind === "number") {
      const number = numberIn(value);
      return number === null ? null : keep(options, () => new Intl.NumberFormat([...tags], options)).format(number);
    }
    const moment = momentIn(value, kind);
    if (moment === null) return null;
    const full = { ...options, timeZone: moment.isLocal ? "UTC" : (options.timeZone ?? timeZone) };
    // A local time has no name of a time zone.
    if (moment.isLocal && (full.timeStyle === "full" || full.timeStyle === "long")) full.timeStyle = "medium";
    return keep(full, () => new Intl.DateTimeFormat([...tags], full)).format(moment.at);
  };
}
