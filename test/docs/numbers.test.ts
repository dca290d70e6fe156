import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/platform/time";
import { COPIES, LIMITS, OTHERS } from "./numbers";

const fromRoot = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace("../../", ""), text]));
const sources = fromRoot({
  ...import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true }),
  ...import.meta.glob<string>("../../{gateway/src,web/console/src,web/viewer/src}/**/*.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
  ...import.meta.glob<string>("../../scripts/ci/*.mjs", { query: "?raw", import: "default", eager: true }),
});
/** The texts that people read, by their kinds. */
const TEXTS = {
  "the documentation": fromRoot({
    ...import.meta.glob<string>("../../docs/{explanation,how-to,reference,tutorial}/*.md", {
      query: "?raw",
      import: "default",
      eager: true,
    }),
    ...import.meta.glob<string>("../../*.md", { query: "?raw", import: "default", eager: true }),
    ...import.meta.glob<string>("../../{client,gateway}/README.md", { query: "?raw", import: "default", eager: true }),
  }),
  "the texts of the console": fromRoot(
    import.meta.glob<string>("../../web/texts/en/*.ts", { query: "?raw", import: "default", eager: true }),
  ),
  "the API's description and messages": Object.fromEntries(
    Object.entries(sources).filter(([path]) => path.startsWith("src/")),
  ),
};
/** Pages with a test of their own, with the words of others, with the past, and translations of sentences that are compared in English. */
const LEFT_OUT =
  /^docs\/reference\/(?:limits|hosted-limits|third-party)\.md$|^CHANGELOG\.md$|^src\/platform\/languages\/sentences\//;

const KIB = 1024;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: SECOND,
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  byte: 1,
  kB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: KIB,
  MiB: KIB ** 2,
  GiB: KIB ** 3,
  megapixel: 1_000_000,
};
const WORDS =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty=20 thirty=30 forty=40 fifty=50 sixty=60 ninety=90 hundred=100 thousand=1000 half=0.5"
    .split(" ")
    .map((word, n) => [word.replace(/=.*/, ""), Number(word.split("=")[1] ?? n + 1)] as const);
const words = new Map(WORDS);
const COUNTED =
  "characters letters words pages pixels organizations locations clusters documents passages pictures images cameras links results items times attempts requests people users members tokens invitations templates reports annotations grants keys levels connections messages notifications searches suggestions files lines digits columns rows points frames parts jobs steps entries names devices exports";
const AMOUNT = String.raw`(?<![\w.,:/$#-])(\d[\d,.]*\d|\d|${WORDS.map(([word]) => word).join("|")})`;
/** A time or a size, and a number of things: the numbers that a limit can have. */
const NUMBERS = [
  new RegExp(`${AMOUNT}(?:(?<=half) an?)?[ -](${Object.keys(UNITS).join("|")}|KB)s?(?![\\w/])`, "gi"),
  new RegExp(
    `${AMOUNT}(?: (?!of|in|and|or|to|with|while|for)[a-z]+)? (${COUNTED.split(" ").join("|")})(?![\\w/])`,
    "g",
  ),
];
/** Words for one and two of a thing say no limit. */
const isSmall = (written: string): boolean =>
  /^(?:one|two|three|four|1|half)[ -](?!(?:an? )?\w*(?:second|minute|hour|day|iB))/.test(written);

/** The text of a source file between its quotes, one line for each string. */
const stringsOf = (source: string): string =>
  [...source.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/.*$/gm, "").matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => text)
    .join("\n");

/** The numbers with a unit in a text, as they are written. */
function numbersIn(path: string, text: string): string[] {
  const read = path.endsWith(".md") ? text : stringsOf(text);
  const found = NUMBERS.flatMap((pattern) => [...read.matchAll(pattern)].map(([written]) => written));
  return [...new Set(found)].filter((written) => !isSmall(written));
}

/** What a text says, as a number: milliseconds, bytes or a count. */
function amountOf(written: string): number {
  const [, amount = "", unit = ""] =
    new RegExp(`${AMOUNT}(?:(?<=half) an?)?[ -](?:[a-z]+ )*?(\\w+)$`, "i").exec(written) ?? [];
  const scale = UNITS[unit] ?? UNITS[unit.replace(/s$/, "")] ?? 1;
  return (words.get(amount.toLowerCase()) ?? Number(amount.replaceAll(",", ""))) * scale;
}

type Module = Readonly<Record<string, unknown>>;
const modules = import.meta.glob<Module>("../../src/**/limits.ts", { eager: true });
const named: Readonly<Record<string, number>> = { SECOND, MINUTE, HOUR, DAY, KIB, MIB: KIB ** 2 };

/** The number of a constant that is not exported: products and quotients of numbers, units and other constants of the file. */
function numberIn(source: string, name: string): number {
  const written = new RegExp(`const ${name}(?:: number)? = ([^;]+);`).exec(source)?.[1];
  if (written === undefined) return Number.NaN;
  const factors = [...` * ${written}`.matchAll(/ ([*/]) ([\w_]+)(?: \*\* (\d+))?/g)];
  return factors.reduce((product, [, sign, factor = "", power = "1"]) => {
    const base = /^\d/.test(factor) ? Number(factor.replaceAll("_", "")) : (named[factor] ?? numberIn(source, factor));
    return sign === "*" ? product * base ** Number(power) : product / base ** Number(power);
  }, 1);
}

/** The number of a constant, by its place and name in the table. */
function numberOf(constant: string): number {
  const [place = "", name = ""] = constant.split(" ");
  const limits = modules[`../../src/${place}/limits.ts`];
  if (limits !== undefined)
    return Number(name.split(".").reduce<unknown>((value, key) => (value as Module | undefined)?.[key], limits));
  const source = [`src/${place}.ts`, `${place}.ts`, place]
    .map((path) => sources[path])
    .find((text) => text !== undefined);
  return numberIn(source ?? "", name);
}

/** The numbers of a text that neither table has, and rows that the text does not have. */
function differences(path: string, text: string): string[] {
  const rows = LIMITS.filter(([, , ...files]) => files.includes(path));
  const others = OTHERS[path] ?? [];
  const found = numbersIn(path, text);
  const known = new Set([...rows.map(([, written]) => written), ...others]);
  return [
    ...found.filter((written) => !known.has(written)).map((written) => `${path} says "${written}"`),
    ...[...known].filter((written) => !found.includes(written)).map((written) => `${path} does not say "${written}"`),
    ...found
      .filter((written) => /\dKB| KB/.test(written))
      .map((written) => `${path}: write kB or KiB for "${written}"`),
  ];
}

describe("a number with a unit", () => {
  test.each(Object.entries(TEXTS))("in %s is that of a constant, or listed as no limit", (_, texts) => {
    const left = Object.entries(texts).filter(([path]) => !LEFT_OUT.test(path));
    expect(left.length).toBeGreaterThan(0);
    expect(left.flatMap(([path, text]) => differences(path, text))).toEqual([]);
  });

  test("in the tables is the one that the code enforces, and stands in an existing file", () => {
    const all: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(TEXTS));
    const wrong = LIMITS.filter(([constant, written]) => numberOf(constant) !== amountOf(written));
    expect(wrong.map(([constant, written]) => `${constant} is ${numberOf(constant)}, not ${written}`)).toEqual([]);
    const files = [...LIMITS.flatMap(([, , ...paths]) => paths), ...Object.keys(OTHERS)];
    expect(files.filter((path) => all[path] === undefined)).toEqual([]);
    for (const [copy, constant] of Object.entries(COPIES))
      expect([copy, numberOf(copy)]).toEqual([copy, numberOf(constant)]);
  });

  test.each([
    ["the documentation", "docs/how-to/use-cameras.md", "valid for six hours", "valid for seven hours"],
    ["a description of the API", "src/cameras/retention/routes.ts", "kept for 90 days", "kept for 80 days"],
    ["a text of the console", "web/texts/en/documents.ts", "2 GiB", "2 GB"],
    ["a message of an error", "src/branding/assets/assets.ts", "have 5 MiB", "have 6 MiB"],
  ])("that is wrong is found in %s", (_, path, right, wrong) => {
    const all: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(TEXTS));
    const text = all[path] ?? "";
    expect(text).toContain(right);
    expect(differences(path, text)).toEqual([]);
    expect(differences(path, text.replace(right, wrong))).toHaveLength(2);
  });
});
