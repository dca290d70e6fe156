import { openLocal } from "../backup/local.mjs";
import { allDatabases } from "../service/deployment.mjs";
import { databasesOf, wrangler } from "../service/migrate.mjs";

/** Quotes a text for SQL, because the command line of D1 binds no parameters. */
export const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/** The size of a local database, which the account gives with each answer. */
const SIZE = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";

const isRead = (sql) => /^\s*SELECT\b/.test(sql);

/**
 * Runs statements in one transaction of a database: by wrangler on the account, and in the file of a local state, whose service
 * may run.
 * @param {string} binding
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {string | string[]} sql
 * @returns {Promise<{ results: object[], meta: { size_after: number } }[]>} one result for each statement, with the size of the database
 */
export async function execute(binding, target, sql) {
  const statements = [sql].flat();
  if (target.remote) {
    const command = ["d1", "execute", binding, "--remote", "--json", "--yes", "--command", statements.join(";\n")];
    return JSON.parse(await wrangler(...command));
  }
  const all = allDatabases(databasesOf(target));
  const { entry } = all.find((one) => one.binding === binding);
  const readOnly = statements.every(isRead);
  const database = await openLocal(target.stateDir, all.length === 1 ? null : entry, { readOnly });
  try {
    const results = await database.batch([...statements, SIZE].map((one) => ({ sql: one, params: [] })));
    const [{ bytes }] = results.pop();
    return results.map((rows) => ({ results: rows, meta: { size_after: bytes } }));
  } finally {
    database.close();
  }
}
