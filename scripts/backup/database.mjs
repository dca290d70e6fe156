import { allDatabases } from "../service/deployment.mjs";
import { databasesOf } from "../service/migrate.mjs";
import { Refusal } from "../setup/project.mjs";
import { openLocal } from "./local.mjs";
import { openRemote } from "./remote.mjs";

/**
 * A database of the service.
 * @typedef {import("../../src/platform/db/carry/statements").Source & {
 *   readAtOneMoment: ((work: (source: Source) => Promise<T>) => Promise<T>) | null, close(): void
 * }} Database `readAtOneMoment` is null if a fence is necessary for it
 */

const openOne = ({ stateDir, remote }, { entry, binding }, isAlone, options) =>
  remote ? openRemote(entry, binding) : openLocal(stateDir, isAlone ? null : entry, options);

/**
 * The databases that a command reaches. The configuration of the deployment names them. A local state with several databases has a file that names them instead.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {{ readOnly?: boolean }} [options]
 * @param {ReturnType<typeof databasesOf>} [given]
 * @returns {Promise<{ directory: Database, directoryName: string, workspaces: Map<string, Database>, open: string[], close(): void }>}
 *   the directory is one of the workspace databases unless it is apart
 */
export async function openDatabases(target, options, given = databasesOf(target)) {
  const all = allDatabases(given);
  const opened = new Map();
  const close = () => {
    for (const database of opened.values()) database.close();
  };
  try {
    for (const one of all) opened.set(one.name, await openOne(target, one, all.length === 1, options));
  } catch (thrown) {
    close();
    throw thrown;
  }
  return {
    directory: opened.get(given.directory.name),
    directoryName: given.directory.name,
    workspaces: new Map(given.workspaces.map(({ name }) => [name, opened.get(name)])),
    open: given.workspaces.filter(({ state }) => state === "open").map(({ name }) => name),
    close,
  };
}

/** The database of a service that has one. @throws Refusal if it has several */
export async function openDatabase(target, options) {
  const { directory, workspaces } = await openDatabases(target, options);
  if (workspaces.size > 1) throw new Refusal("The deployment has several databases.");
  return directory;
}

/** Asks the databases of the account for an answer, before anything else is read or written. @throws Refusal without one */
export async function requireAnswer(target) {
  if (!target.remote) return;
  const { directory, workspaces, close } = await openDatabases(target);
  try {
    for (const database of new Set([directory, ...workspaces.values()]))
      await database.batch([{ sql: "SELECT 1", params: [] }]);
  } finally {
    close();
  }
}

/** The tables of the service: a directory of its own has no rows of workspaces. */
export const tablesOf = (carry, { directoryName, workspaces }) => ({
  workspace: carry.OF_WORKSPACE,
  service: workspaces.has(directoryName) ? carry.OF_SERVICE : carry.OF_DIRECTORY,
});
