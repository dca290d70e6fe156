import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse, stringify } from "smol-toml";
import { Refusal, ROOT } from "../setup/project.mjs";

/*
 * The settings of a deployment. `wrangler.toml` has what every deployment shares, and comes with each version of the project. An
 * operator writes what differs into `deployment.toml`, which git does not track, so an upgrade never meets a changed file. With
 * `DEPLOYMENT=staging` the file is `deployment.staging.toml`.
 */

/** The names of a list of tables by which an entry of the operator finds the entry of the project. */
const KEYS = ["binding", "queue", "name", "tag"];

const isTable = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
const keyOf = (entry) => KEYS.find((key) => typeof entry?.[key] === "string");
const isListOfTables = (value) => Array.isArray(value) && value.length > 0 && value.every(isTable);

/** Merges two lists of entries. An entry of the operator changes the entry of the project with the same key. An entry with a new key is added. */
function mergedLists(project, own) {
  const entries = [...project];
  for (const entry of own) {
    const key = keyOf(entry);
    const at = key === undefined ? -1 : entries.findIndex((other) => keyOf(other) === key && other[key] === entry[key]);
    if (at < 0) entries.push(entry);
    else entries[at] = merged(entries[at], entry);
  }
  return entries;
}

/** Merges two values. Tables and lists of tables are merged. Every other value of the operator replaces the value of the project. */
function merged(project, own) {
  if (isTable(project) && isTable(own)) {
    const values = Object.entries(own).map(([name, value]) => [
      name,
      name in project ? merged(project[name], value) : value,
    ]);
    return { ...project, ...Object.fromEntries(values) };
  }
  return isListOfTables(project) && isListOfTables(own) ? mergedLists(project, own) : own;
}

/** The names of databases, buckets and queues. */
const NAMES = ["database_name", "bucket_name", "queue", "dead_letter_queue"];

/** The same configuration, in which the names that begin with the name of the project begin with the name of the deployment. */
function renamed(value, from, to) {
  if (Array.isArray(value)) return value.map((one) => renamed(one, from, to));
  if (!isTable(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const isName = NAMES.includes(name) && typeof one === "string" && (one === from || one.startsWith(`${from}-`));
    return [name, isName ? `${to}${one.slice(from.length)}` : renamed(one, from, to)];
  });
  return Object.fromEntries(entries);
}

/** The same configuration with absolute paths, for a file in another folder. */
export const withAbsolutePaths = (config) => ({
  ...config,
  main: join(ROOT, config.main),
  alias: Object.fromEntries(Object.entries(config.alias ?? {}).map(([name, path]) => [name, join(ROOT, path)])),
  assets: { ...config.assets, directory: join(ROOT, config.assets.directory) },
  d1_databases: config.d1_databases.map((entry) => ({
    ...entry,
    migrations_dir: join(ROOT, entry.migrations_dir ?? "migrations"),
  })),
});

/**
 * The configuration of a deployment. A deployment with another name has its own database, bucket and queues: their names begin with it.
 * @param {string} project the text of `wrangler.toml`
 * @param {string} own the text of the operator's file
 * @param {string} [file] the name of the operator's file, for messages
 * @throws Refusal if the operator's file is not TOML, or changes what keeps the stored data
 */
export function configurationWith(project, own, file = "deployment.toml") {
  let settings;
  try {
    settings = parse(own);
  } catch (thrown) {
    throw new Refusal(`${file} is not valid TOML: ${thrown.message}`);
  }
  const base = parse(project);
  if (settings.migrations !== undefined || settings.env !== undefined)
    throw new Refusal(`Remove [[migrations]] and [env] from ${file}: they belong to the project.`);
  const name = settings.name ?? base.name;
  return merged(renamed(base, base.name, name), settings);
}

const PROJECT_FILE = join(ROOT, "wrangler.toml");

/** The operator's file of a deployment. @param {string | undefined} deployment its name; undefined or empty: the only one */
export function ownFileOf(deployment) {
  if (!deployment) return join(ROOT, "deployment.toml");
  if (!/^[a-z0-9-]{1,30}$/.test(deployment))
    throw new Refusal(`DEPLOYMENT is "${deployment}". Use lower-case letters, digits and hyphens, such as staging.`);
  return join(ROOT, `deployment.${deployment}.toml`);
}

/**
 * The file of wrangler for a deployment: `wrangler.toml` if the operator has no file of their own, else a new one with both.
 * @param {string | undefined} [deployment] its name, `DEPLOYMENT` of the environment
 * @throws Refusal if a named deployment has no file, or would use the name of another one
 */
export function deployedConfig(deployment = process.env.DEPLOYMENT) {
  const file = ownFileOf(deployment);
  if (!existsSync(file)) {
    if (!deployment) return PROJECT_FILE;
    throw new Refusal(
      `DEPLOYMENT is ${deployment}, but there is no file ${basename(file)}. See docs/how-to/deploy.md.`,
    );
  }
  const project = readFileSync(PROJECT_FILE, "utf8");
  const config = configurationWith(project, readFileSync(file, "utf8"), basename(file));
  if (deployment) requireOwnName(config.name, project, basename(file));
  const folder = join(ROOT, ".build/deployments");
  mkdirSync(folder, { recursive: true });
  const written = join(folder, `${deployment || "default"}.toml`);
  writeFileSync(written, stringify(withAbsolutePaths(config)));
  return written;
}

/** Protects the first deployment: a named one without a name of its own would replace it. */
function requireOwnName(name, project, file) {
  const first = ownFileOf(undefined);
  const others = [parse(project).name, ...(existsSync(first) ? [parse(readFileSync(first, "utf8")).name] : [])];
  if (others.includes(name))
    throw new Refusal(
      `Give ${file} a name of its own, such as name = "${name}-staging". "${name}" is another deployment.`,
    );
}

/** The text of the configuration of the deployment that the environment selects. */
export const deployedConfigText = () => readFileSync(deployedConfig(), "utf8");
