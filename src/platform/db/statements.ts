import { fillPlaceholders, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Composed, compile } from "./database";

/**
 * A statement that is composed once in each isolate and then gets new values for each run: drizzle needs about as long
 * to compose a statement as D1 needs to run it. Write values as `sql.placeholder(name)`; they are bound unchanged.
 */
export function reusable<Name extends string>(write: () => SQL): (values: Record<Name, string | number>) => Composed {
  let written: { sql: string; params: unknown[] } | undefined;
  return (values) => {
    written ??= compile(write());
    const { sql, params } = written;
    return { toSQL: () => ({ sql, params: fillPlaceholders(params, values) }) };
  };
}

/** Composed forms of a statement that an isolate keeps, some kilobytes each. */
const MAX_REUSABLE_FORMS = 200;

/**
 * A reusable statement whose text depends on the request: each `form` is composed once. A form is plain data that
 * determines the text completely.
 */
export function reusableForms<Form>(
  write: (form: Form) => SQL,
): (form: Form, values: Readonly<Record<string, string | number>>) => Composed {
  const written = new Map<string, ReturnType<typeof reusable<string>>>();
  return (form, values) => {
    const name = JSON.stringify(form);
    let statement = written.get(name);
    if (statement === undefined) {
      if (written.size >= MAX_REUSABLE_FORMS) written.clear();
      statement = reusable<string>(() => write(form));
      written.set(name, statement);
    }
    return statement(values);
  };
}

/** `column IN (values)` with the whole set in one bound parameter: D1 allows 100 parameters in a statement. */
export const inSet = (column: SQLWrapper, values: readonly (string | number)[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** The same for a reusable statement, which gets the set as JSON in the placeholder `name`. */
export const inPlaceholder = (column: SQLWrapper, name: string): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${sql.placeholder(name)}))`;

/**
 * Writes a number into the text of a statement. If a limit is a parameter, SQLite plans the statement again at each
 * run, which for a long statement costs as much as running it. Use it only for checked numbers, never for text.
 * @throws TypeError for a number that is not finite
 */
export function literal(value: number): SQL {
  if (!Number.isFinite(value)) throw new TypeError("a literal must be a finite number");
  return sql.raw(String(value));
}
