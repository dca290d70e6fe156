import { whereOf, wrangler } from "../service/migrate.mjs";

/** Quotes a text for SQL, because the command line of D1 binds no parameters. */
export const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/** Tries of a statement while the local database is locked. Each try takes wrangler at least a second. */
const MAX_TRIES = 5;

/**
 * Runs SQL in a database. While a local service writes, the database is locked: then nothing was changed, and the SQL runs again.
 * @param {string} binding
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {string} sql
 * @returns {Promise<{ results: object[], meta?: { size_after?: number } }[]>} one result for each statement
 */
export async function execute(binding, target, sql) {
  for (let tries = 1; ; tries++) {
    try {
      return JSON.parse(
        await wrangler("d1", "execute", binding, ...whereOf(target), "--json", "--yes", "--command", sql),
      );
    } catch (thrown) {
      if (tries === MAX_TRIES || !thrown.message?.includes("SQLITE_BUSY")) throw thrown;
      console.log("The service is writing to the database; trying again …");
    }
  }
}
