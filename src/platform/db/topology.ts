import { z } from "@hono/zod-openapi";
import type { Buckets } from "../objects/stores";
import { jsonOf, SettingsError } from "../settings";
import { DIRECTORY_DATABASE, FIRST_DATABASE } from "./database";

/** The databases of the service by the names that rows, messages and addresses have. */
interface Topology {
  /** The database of the directory; null if the first database has it too. */
  directory: D1Database | null;
  /** The workspace databases by name, the first database first. */
  workspaces: ReadonlyMap<string, D1Database>;
  /** The names of those that take no new workspaces. */
  closed: ReadonlySet<string>;
  /** The regions of those that have one, by their names. */
  regions: ReadonlyMap<string, string>;
  /** The buckets of those that have one of their own. */
  buckets: Buckets;
}

/** Maximum number of workspace databases. */
const MAX_DATABASES = 100;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 lower-case letters, digits and hyphens, and begin with a letter")
  .refine((text) => text !== DIRECTORY_DATABASE, `must not be "${DIRECTORY_DATABASE}"`);
/** A label that people choose from, such as eu. */
const region = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be 1 to 32 lower-case letters, digits and hyphens, and begin with a letter");
const binding = z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be the name of a binding, such as DB_SECOND");

const entry = z.strictObject({
  name,
  binding,
  state: z.enum(["open", "closed"]).default("open"),
  region: region.optional(),
  bucket: binding.optional(),
  s3Bucket: z.string().min(3).optional(),
  s3Endpoint: z.url().optional(),
});

/** The variable DATABASES: JSON. The first entry is the database that has everything that names no database. */
const databasesSchema = z
  .array(entry)
  .min(1)
  .max(MAX_DATABASES)
  .superRefine((all, context) => {
    const issue = (message: string) => context.addIssue({ code: "custom", message });
    if (all[0]?.name !== FIRST_DATABASE) issue(`the first entry must have the name "${FIRST_DATABASE}"`);
    for (const key of ["name", "binding"] as const)
      if (new Set(all.map((one) => one[key])).size < all.length) issue(`two entries have the same ${key}`);
    for (const one of all)
      if (one.bucket === undefined && (one.s3Bucket ?? one.s3Endpoint) !== undefined)
        issue(`${one.name} has s3Bucket or s3Endpoint, but no bucket`);
    const addresses = Map.groupBy(all, ({ bucket }) => bucket ?? "");
    for (const [bucket, some] of addresses)
      if (new Set(some.map(({ s3Bucket, s3Endpoint }) => `${s3Endpoint} ${s3Bucket}`)).size > 1)
        issue(`the entries with the bucket ${bucket} have different s3Bucket or s3Endpoint`);
  });

const databaseOf = (env: Readonly<Record<string, unknown>>, binding: string): D1Database => {
  const found = env[binding];
  if (typeof found === "object" && found !== null && "withSession" in found) return found as D1Database;
  throw new SettingsError([`DATABASES: no D1 database has the binding ${binding}`]);
};

/** The bucket of the service, which an entry can name too. */
const SERVICE_BUCKET = "BUCKET";

/** The buckets that entries name. @throws SettingsError for one that is not there, or without the address at the S3 endpoint */
function bucketsOf(env: Readonly<Record<string, unknown>>, entries: readonly z.infer<typeof entry>[]): Buckets {
  const { OBJECT_STORE: store } = env;
  return new Map(
    entries.flatMap(({ name, bucket, s3Bucket, s3Endpoint }) => {
      if (bucket === undefined || bucket === SERVICE_BUCKET) return [];
      const found = env[bucket];
      if (typeof found !== "object" || found === null || !("createMultipartUpload" in found))
        throw new SettingsError([`DATABASES: no R2 bucket has the binding ${bucket}`]);
      if (store === "s3" && s3Bucket === undefined)
        throw new SettingsError([`DATABASES: ${name} needs s3Bucket, since OBJECT_STORE is s3`]);
      const s3 = { ...(s3Bucket !== undefined && { s3Bucket }), ...(s3Endpoint !== undefined && { s3Endpoint }) };
      return [[name, { bucket: found as R2Bucket, binding: bucket, s3 }] as const];
    }),
  );
}

function parse(env: Readonly<Record<string, unknown>>): Topology {
  const { DATABASES: given, DIRECTORY } = env;
  const directory = DIRECTORY === undefined ? null : databaseOf(env, "DIRECTORY");
  const named = typeof given === "string" && given !== "" ? given : null;
  if (named === null)
    return {
      directory,
      workspaces: new Map([[FIRST_DATABASE, databaseOf(env, "DB")]]),
      closed: new Set(),
      regions: new Map(),
      buckets: new Map(),
    };
  const parsed = jsonOf(databasesSchema).safeParse(named);
  if (!parsed.success)
    throw new SettingsError(parsed.error.issues.map(({ path, message }) => ["DATABASES", ...path, message].join(": ")));
  const workspaces = new Map(parsed.data.map((one) => [one.name, databaseOf(env, one.binding)]));
  const known = [...workspaces.values()];
  if (directory !== null && known.includes(directory))
    throw new SettingsError(["DATABASES: an entry has the binding DIRECTORY"]);
  const closed = new Set(parsed.data.flatMap(({ name, state }) => (state === "closed" ? [name] : [])));
  const regions = new Map(
    parsed.data.flatMap(({ name, region }) => (region === undefined ? [] : [[name, region] as const])),
  );
  return { directory, workspaces, closed, regions, buckets: bucketsOf(env, parsed.data) };
}

let cached: { env: object; topology: Topology } | undefined;

/** The databases of this isolate, by its bindings. They are parsed once. @throws SettingsError */
export function topologyOf(env: object): Topology {
  if (cached?.env !== env) cached = { env, topology: parse(env as Record<string, unknown>) };
  return cached.topology;
}
