import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { Refusal, ROOT } from "../setup/project.mjs";

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
 * The names of a deployment in wrangler.toml. No other file of the scripts has a name of a database or a bucket.
 * @param {string} [text] the text of a wrangler.toml
 * @throws Refusal without the bindings of the service
 */
export function readDeployment(text = readFileSync(join(ROOT, "wrangler.toml"), "utf8")) {
  const config = parse(text);
  return {
    database: bound(config.d1_databases, DATABASE_BINDING),
    bucket: bound(config.r2_buckets, BUCKET_BINDING),
    /** The address of the service without a slash at its end; null before it is set. */
    publicBaseUrl: config.vars?.PUBLIC_BASE_URL?.replace(/\/$/, "") || null,
  };
}

/** Tells the operator which database and bucket a command reaches. @param {{ remote: boolean, stateDir: string }} target */
export function describeTarget({ remote, stateDir }) {
  const { database, bucket } = readDeployment();
  const id = database.database_id === undefined ? "" : ` (${database.database_id})`;
  return remote
    ? `database ${database.database_name}${id} and bucket ${bucket.bucket_name} of the Cloudflare account`
    : `the local state in ${stateDir}`;
}
