/*
 * Every exported constant of a `src/**\/limits.ts` has one row in the table of its feature (tables/access.ts, …). A row says
 * which tests fail when the code does not keep the limit:
 *
 *   MAX_CLUSTERS: { page: "count | Workspaces | clusters of a workspace", held: "capacity" },
 *   RESET_LIFETIME_MS: { held: "access/password-reset.test.ts > ends after an hour" },
 *   IMAGE_QUALITY: { unheld: "It is a choice between size and quality." },
 *
 * `page` is its line of docs/reference/limits.md: form of the number, section and text. coverage.test.ts fails for a
 * constant without a row and for a test that does not exist; `npm run mutate` changes each limit at its uses, and a test
 * of its row must fail. seeded.ts lists the single uses at which no test can tell another value.
 */

/** The form of a number on the page. */
export type Form = "count" | "size" | "characters" | "time" | "rate";
export type PageLine = `${Form} | ${string} | ${string}`;

/** The suites in which the title of a test begins with the name of the constant. Their rows are in this folder. */
export const SUITES = {
  capacity: "limits/capacity.test.ts",
  rates: "limits/rates.test.ts",
  inputs: "limits/inputs.test.ts",
  bounds: "limits/bounds.test.ts",
  shown: "limits/shown.test.ts",
  lifetimes: "limits/lifetimes.test.ts",
  documents: "limits/documents.test.ts",
  reports: "limits/reports.test.ts",
  search: "limits/search.test.ts",
  cameras: "limits/cameras.test.ts",
  hub: "limits/hub.test.ts",
  requests: "limits/requests.test.ts",
  effects: "limits/effects.test.ts",
  slow: "resilience/documents/extraction/limits.test.ts",
} as const;

export interface LimitRow {
  page?: PageLine;
  pages?: readonly PageLine[];
  /** The tests that hold it: `suite`, `suite > title`, `file > title`, or `file` for all its tests; several in a list. */
  held?: string | readonly string[];
  /** Set if its tests notice only half and double of the limit: it is an approximate limit of memory or time. */
  coarse?: true;
  /** Both values of a limit that is no number. */
  values?: readonly [string, string];
  /** Why no test can tell another value. */
  unheld?: string;
}

/** The reasons that many rows share. */
export const DIVIDES_WORK = { unheld: "It divides work into slices and changes no result." } as const;
export const BOUNDS_WORK = { unheld: "It bounds memory or time and changes no answer within it." } as const;

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

/** Section, text and form of a line of the page. */
export function partsOf(line: PageLine): [section: string, what: string, form: Form] {
  const [form = "", section = "", what = ""] = line.split(" | ");
  return [section, what, form as Form];
}

/** The tests of a row: the path of the file below `test`, and a part of the test's name. */
export const testsOf = (name: string, { held = [] }: Pick<LimitRow, "held">): [file: string, title: string][] =>
  (typeof held === "string" ? [held] : held).map((test) => {
    const [file = "", title] = test.split(" > ");
    return file in SUITES ? [SUITES[file as keyof typeof SUITES], title ?? name] : [file, title ?? ""];
  });
