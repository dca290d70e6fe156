import { DATABASE_BINDING, readDeployment } from "../service/deployment.mjs";
import { wrangler } from "../service/migrate.mjs";
import { Refusal } from "../setup/project.mjs";
import { openLocal } from "./local.mjs";
import { openRemote } from "./remote.mjs";

/**
 * The database that a command reaches.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {{ readOnly?: boolean }} [options]
 * @returns {Promise<import("../../src/platform/db/carry/statements").Source & {
 *   readAtOneMoment: ((work: (source: Source) => Promise<T>) => Promise<T>) | null, close(): void
 * }>} `readAtOneMoment` is null if a fence is necessary for it
 * @throws Refusal if the service has several
 */
export function openDatabase({ stateDir, remote }, options) {
  if (readDeployment().hasSeveral)
    throw new Refusal("wrangler.toml has several databases. Use the nightly backups, and restore into one database.");
  return remote ? openRemote() : openLocal(stateDir, options);
}

/** Asks a database of the account for an answer, before anything else is read or written. @throws Refusal without one */
export async function requireAnswer(target) {
  if (!target.remote) return;
  const database = await openDatabase(target);
  try {
    await database.batch([{ sql: "SELECT 1", params: [] }]);
  } finally {
    database.close();
  }
}

/** Applies all new migrations. */
export const migrate = ({ stateDir, remote }) =>
  wrangler(
    "d1",
    "migrations",
    "apply",
    DATABASE_BINDING,
    ...(remote ? ["--remote"] : ["--local", "--persist-to", stateDir]),
  );
