import { parse } from "smol-toml";
import { Refusal } from "../setup/project.mjs";
import { deployedConfigText } from "./own-settings.mjs";

/** The bindings by which the commands of wrangler find the database and the bucket, under any name in wrangler.toml. */
export const DATABASE_BINDING = "DB";
const BUCKET_BINDING = "BUCKET";

/** The entry of a list of wrangler.toml with this binding. @throws Refusal if it is missing. */
function bound(list, binding) {
  const found = (list ?? []).find((entry) => entry.binding === binding);
  if (found === undefined) throw new Refusal(`wrangler.toml has no binding ${binding}. Restore it from the project.`);
  return found;
}

/**
 * The names of a deployment in its configuration. No other file of the scripts has a name of a database or a bucket.
 * @param {string} [text] the text of a wrangler.toml; the one that the environment selects if it is absent
 * @throws Refusal without the bindings of the service
 */
export function readDeployment(text = deployedConfigText()) {
  const config = parse(text);
  return {
    database: bound(config.d1_databases, DATABASE_BINDING),
    bucket: bound(config.r2_buckets, BUCKET_BINDING),
    /** Whether the service has several databases. */
    hasSeveral:
      config.vars?.DATABASES !== undefined ||
      (config.d1_databases ?? []).some(({ binding }) => binding === "DIRECTORY"),
    /** The address of the service without a slash at its end; null before it is set. */
    publicBaseUrl: config.vars?.PUBLIC_BASE_URL?.replace(/\/$/, "") || null,
  };
}

/** The binding of the directory, if it has a database of its own. */
const DIRECTORY_BINDING = "DIRECTORY";

/**
 * The databases of a deployment: each with its name, its binding and its entry in wrangler.toml.
 * @param {string} [text] the text of a wrangler.toml; the one that the environment selects if it is absent
 * @returns {{ workspaces: { name: string, binding: string, state: string, region?: string, entry: object, objects: object }[],
 *   directory: { name: string, binding: string, entry: object, objects: object } }} `objects`: the entry of its bucket; the first
 *   workspace database has the directory unless it is apart
 * @throws Refusal if DATABASES names a binding that is missing, or is not JSON
 */
export function readDatabases(text = deployedConfigText()) {
  const config = parse(text);
  const given = config.vars?.DATABASES;
  let named;
  try {
    named = given ? JSON.parse(given) : [{ name: "first", binding: DATABASE_BINDING }];
  } catch {
    throw new Refusal("DATABASES of the deployment is not JSON.");
  }
  const workspaces = named.map(({ state = "open", bucket = BUCKET_BINDING, ...one }) => ({
    ...one,
    state,
    entry: bound(config.d1_databases, one.binding),
    objects: bound(config.r2_buckets, bucket),
  }));
  const apart = config.d1_databases?.find(({ binding }) => binding === DIRECTORY_BINDING);
  const objects = bound(config.r2_buckets, BUCKET_BINDING);
  const directory = apart ? { name: "directory", binding: DIRECTORY_BINDING, entry: apart, objects } : workspaces[0];
  return { workspaces, directory };
}

/** Every database once. */
export function allDatabases(databases = readDatabases()) {
  const { workspaces, directory } = databases;
  return workspaces.includes(directory) ? workspaces : [...workspaces, directory];
}

const described = ({ database_id: id, database_name: name }) => `${name}${id === undefined ? "" : ` (${id})`}`;

/** Tells the operator which databases and which bucket a command reaches. @param {{ remote: boolean, stateDir: string }} target */
export function describeTarget({ remote, stateDir }) {
  const all = allDatabases();
  const names = all.map(({ entry }) => described(entry)).join(", ");
  const word = all.length === 1 ? "database" : "databases";
  const buckets = [...new Set(all.map(({ objects }) => objects.bucket_name))];
  return remote
    ? `${word} ${names} and ${buckets.length === 1 ? "bucket" : "buckets"} ${buckets.join(", ")} of the Cloudflare account`
    : `the local state in ${stateDir}${all.length === 1 ? "" : `, databases ${all.map(({ name }) => name).join(", ")}`}`;
}
