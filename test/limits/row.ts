/*
 * Every exported constant of a `src/**\/limits.ts` has one row in the table of its feature (tables/access.ts, …). A row says
 * which tests fail when the code does not keep the limit:
 *
 *   MAX_CLUSTERS: { page: ["Workspaces", "clusters of a workspace", "count"], held: "capacity" },
 *   RESET_LIFETIME_MS: { held: ["access/password-reset.test.ts > ends after an hour"] },
 *   IMAGE_QUALITY: { unheld: "It is a choice between size and quality." },
 *
 * `page` is its line of docs/reference/limits.md: section, text and form of the number. coverage.test.ts fails for a
 * constant without a row and for a test that does not exist; `npm run mutate` changes each limit at its uses, and a test
 * of its row must fail.
 */

/** The form of a number on the page. */
export type Form = "count" | "size" | "characters" | "time" | "rate";
export type PageLine = readonly [section: string, what: string, form: Form];

/** The suites of this folder, in which the name of the constant is the title of its test. */
export const SUITES = {
  capacity: "limits/capacity.test.ts",
  rates: "limits/rates.test.ts",
  inputs: "limits/inputs.test.ts",
  bounds: "limits/bounds.test.ts",
  shown: "limits/shown.test.ts",
  lifetimes: "limits/lifetimes.test.ts",
} as const;

export interface LimitRow {
  page?: PageLine;
  pages?: readonly PageLine[];
  /** The tests that hold it: a suite of this folder, or a list with `file > title`, or with `file` for all its tests. */
  held?: keyof typeof SUITES | readonly string[];
  /** Set if its tests notice only half and double of the limit: it is an approximate limit of memory or time. */
  coarse?: true;
  /** Both values of a limit that is no number. */
  values?: readonly [string, string];
  /**
   * Set while its tests show the effect of the limit, and not its number: a mutant survives, or was not run. `npm run
   * mutate -- --open` runs these. A list names the files in which a use is open; the uses in other files are proven.
   */
  open?: true | readonly string[];
  /** Why no test can tell another value. */
  unheld?: string;
}

/** A constant that is an object has a row for each field. */
export interface FieldRows {
  fields: Readonly<Record<string, LimitRow>>;
}

export type Rows = Readonly<Record<string, LimitRow | FieldRows>>;

/** A row for each constant of a module; functions and classes are none. */
export type LimitTable<Module> = {
  readonly [Name in keyof Module as Module[Name] extends
    | ((...given: never[]) => unknown)
    | (abstract new (
        ...given: never[]
      ) => unknown)
    ? never
    : Name]: LimitRow | FieldRows;
};

/** The rows of a table by the name of the limit, such as `DRAFT_LIMITS.maxKeys`. */
export const flatRows = (rows: Rows): [name: string, row: LimitRow][] =>
  Object.entries(rows).flatMap(([name, row]) =>
    "fields" in row
      ? Object.entries(row.fields).map(([field, own]): [string, LimitRow] => [`${name}.${field}`, own])
      : [[name, row] as [string, LimitRow]],
  );

/** The tests of a row: the path of the file below `test`, and a part of the test's name. */
export const testsOf = (name: string, { held = [] }: Pick<LimitRow, "held">): [file: string, title: string][] =>
  (typeof held === "string" ? [held] : held).map((test) => {
    if (test in SUITES) return [SUITES[test as keyof typeof SUITES], name];
    const [file = "", title = ""] = test.split(" > ");
    return [file, title];
  });
