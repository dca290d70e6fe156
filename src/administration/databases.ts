import { inWaves } from "../platform/concurrency";
import { type Context, contextIn, databaseNames } from "../platform/context";
import { DATABASES_AT_ONCE } from "../platform/db/database";

/** Runs work in each database of the service, the directory's too. @returns the answers in the order of the databases */
export const inEachDatabase = <T>(context: Context, run: (there: Context, name: string) => Promise<T>): Promise<T[]> =>
  inWaves(databaseNames(context), DATABASES_AT_ONCE, (name) => {
    const there = contextIn(context, name);
    if (there === null) throw new Error(`no database has the name "${name}"`);
    return run(there, name);
  });
