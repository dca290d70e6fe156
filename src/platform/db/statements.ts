import { fillPlaceholders, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { compile, type Statement } from "./database";

/**
 * A statement that is written once an isolate and given its values each time: composing one takes drizzle about as
 * long as D1 takes to run it. Values stand in it as `sql.placeholder(name)`; they are passed as they are bound.
 */
export function reusable<Name extends string>(write: () => SQL): (values: Record<Name, string | number>) => Statement {
  let written: { sql: string; params: unknown[] } | undefined;
  return (values) => {
    written ??= compile(write());
    const { sql, params } = written;
    return { toSQL: () => ({ sql, params: fillPlaceholders(params, values) }) };
  };
}

/** Forms of a statement that an isolate keeps written, some kilobytes each. */
const MOST_FORMS = 200;

/**
 * The same for a statement whose text depends on what is asked: each `form` of it is written once. A form is plain
 * data and says all that the text depends on.
 */
export function reusableForms<Form>(
  write: (form: Form) => SQL,
): (form: Form, values: Readonly<Record<string, string | number>>) => Statement {
  const written = new Map<string, ReturnType<typeof reusable<string>>>();
  return (form, values) => {
    const name = JSON.stringify(form);
    let statement = written.get(name);
    if (statement === undefined) {
      if (written.size >= MOST_FORMS) written.clear();
      statement = reusable<string>(() => write(form));
      written.set(name, statement);
    }
    return statement(values);
  };
}

/** `column IN (values)` with the whole set in one bound parameter: D1 takes 100 a statement. */
export const inSet = (column: SQLWrapper, values: readonly (string | number)[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** The same with a set that a reusable statement is given under a name, as JSON. */
export const inGiven = (column: SQLWrapper, name: string): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${sql.placeholder(name)}))`;

/**
 * An integer of ours written into a statement: SQLite plans a statement again, at each run, when a limit is a
 * parameter, and for a long one that costs as much as running it. Never text, and nothing a caller chose unchecked.
 */
export function literal(value: number): SQL {
  if (!Number.isFinite(value)) throw new TypeError("A literal is a finite number.");
  return sql.raw(String(value));
}
