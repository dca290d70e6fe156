import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "smol-toml";
import { Refusal, ROOT } from "../setup/project.mjs";
import { withAbsolutePaths } from "./own-settings.mjs";

/*
 * A local state with several databases. Its folder has `databases.toml`: the `wrangler.toml` of the project with more databases. So
 * the next start and the other local commands find the same databases.
 */

/** The names of the workspace databases, as many as `DATABASE_COUNT` can be. The first one is the same everywhere. */
const NAMES = ["first", "second", "third", "fourth", "fifth", "sixth"];

/** The file of wrangler for a state. @param {string} stateDir */
export function configOf(stateDir) {
  const own = join(stateDir, "databases.toml");
  return existsSync(own) ? own : join(ROOT, "wrangler.toml");
}

/** The text of the file of wrangler for a state. */
export const configTextOf = (stateDir) => readFileSync(configOf(stateDir), "utf8");

const isDirectory = ({ binding }) => binding === "DIRECTORY";
const countIn = (config) => (config.vars?.DATABASES ? JSON.parse(config.vars.DATABASES).length : 1);

/** The names of the databases, their bindings and labels. */
const databasesOf = (count) =>
  NAMES.slice(0, count).map((name, n) => ({ name, binding: n === 0 ? "DB" : `DB_${name.toUpperCase()}` }));

/** The project's configuration with more databases. Its paths are absolute, because its file is elsewhere. */
function configWith(project, count, hasDirectory) {
  const [first] = project.d1_databases;
  const named = databasesOf(count);
  const bound = hasDirectory ? [...named, { name: "directory", binding: "DIRECTORY" }] : named;
  return withAbsolutePaths({
    ...project,
    d1_databases: bound.map(({ name, binding }) => ({
      ...first,
      binding,
      database_name: name === "first" ? first.database_name : `${first.database_name}-${name}`,
    })),
    vars: { ...project.vars, DATABASES: JSON.stringify(named) },
  });
}

/**
 * Gives a state this many workspace databases. A new state gets a database of the directory too; in an older one the first
 * database keeps the directory. A state that has several databases keeps them at later starts.
 * @param {string} stateDir
 * @param {number | null} wanted null: as many as the state has
 * @returns {number} the workspace databases of the state
 * @throws Refusal for fewer databases than the state has, or if the project's wrangler.toml names several
 */
export function prepareDatabases(stateDir, wanted) {
  const own = join(stateDir, "databases.toml");
  const project = parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
  const before = existsSync(own) ? parse(readFileSync(own, "utf8")) : null;
  const had = countIn(before ?? project);
  const count = wanted ?? had;
  if (before === null && (count === 1 || wanted === null)) return count;
  if (project.vars?.DATABASES) throw new Refusal("wrangler.toml names the databases. Start without DATABASE_COUNT.");
  if (count < had)
    throw new Refusal(`The state in ${stateDir} has ${had} databases. Use another STATE_DIR for fewer of them.`);
  const data = join(stateDir, "v3/d1");
  const isNew = before === null && !(existsSync(data) && readdirSync(data).length > 0);
  const hasDirectory = isNew || (before?.d1_databases.some(isDirectory) ?? false);
  writeFileSync(own, stringify(configWith(project, count, hasDirectory)));
  // New databases have no tables yet.
  if (count !== had) rmSync(join(stateDir, "migrated.json"), { force: true });
  return count;
}
