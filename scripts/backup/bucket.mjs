import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { allDatabases, readDeployment } from "../service/deployment.mjs";
import { databasesOf } from "../service/migrate.mjs";
import { withFolder } from "./freeze.mjs";
import { patientBucket } from "./patience.mjs";

/** A bucket as an entry of wrangler.toml has it. @typedef {{ bucket_name: string, jurisdiction?: string }} Entry */

const bindingOf = (n) => `BUCKET_${n}`;

/** Buckets of the account, through wrangler, which has the sign-in. */
const withRemoteBuckets = (entries, work) =>
  withFolder(async (folder) => {
    const config = join(folder, "wrangler.json");
    const r2_buckets = entries.map(({ bucket_name, jurisdiction }, n) => ({
      ...{ binding: bindingOf(n), bucket_name, remote: true },
      ...(jurisdiction !== undefined && { jurisdiction }),
    }));
    writeFileSync(config, JSON.stringify({ name: "backup", compatibility_date: "2026-01-01", r2_buckets }));
    const { getPlatformProxy } = await import("wrangler");
    const { env, dispose } = await getPlatformProxy({ configPath: config, persist: false, remoteBindings: true });
    try {
      return await work(entries.map((_, n) => env[bindingOf(n)]));
    } finally {
      await dispose();
    }
  });

/** Buckets of a local state, through the part of wrangler that keeps them: wrangler itself takes 130 MB of memory more. */
async function withLocalBuckets(stateDir, entries, work) {
  const { Miniflare, convertV4MiniflareOptions } = await import("miniflare");
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...{ modules: true, script: "export default {}", compatibilityDate: "2026-01-01", cf: false },
      r2Buckets: Object.fromEntries(entries.map(({ bucket_name }, n) => [bindingOf(n), bucket_name])),
      resourcePersistencePath: join(stateDir, "v3"),
    }),
  );
  try {
    return await work(await Promise.all(entries.map((_, n) => runtime.getR2Bucket(bindingOf(n)))));
  } finally {
    await runtime.dispose();
  }
}

/** Buckets whose calls are repeated: a local one closes a connection that rests, perhaps in the moment of its next call. */
function withEntries({ stateDir, remote }, entries, work) {
  const patient = (buckets) => work(buckets.map((bucket, n) => patientBucket(bucket, entries[n].bucket_name)));
  return remote ? withRemoteBuckets(entries, patient) : withLocalBuckets(stateDir, entries, patient);
}

/**
 * Opens a local bucket or a bucket of the account while `work` runs.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(bucket: import("@cloudflare/workers-types").R2Bucket) => Promise<T>} work
 * @param {string} [name] the bucket of the service if it is absent
 * @template T
 */
export const withBucket = (target, work, name = readDeployment().bucket.bucket_name) =>
  withEntries(target, [{ bucket_name: name }], ([bucket]) => work(bucket));

/**
 * Opens the buckets of all databases while `work` runs.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(bucketOf: (database: string) => import("@cloudflare/workers-types").R2Bucket) => Promise<T>} work
 * @param {ReturnType<typeof databasesOf>} [databases]
 * @template T
 */
export function withBuckets(target, work, databases = databasesOf(target)) {
  const all = allDatabases(databases);
  const entries = [...new Map(all.map(({ objects }) => [objects.bucket_name, objects])).values()];
  return withEntries(target, entries, (buckets) => {
    const byName = new Map(entries.map(({ bucket_name }, n) => [bucket_name, buckets[n]]));
    const byDatabase = new Map(all.map(({ name, objects }) => [name, byName.get(objects.bucket_name)]));
    return work((database) => byDatabase.get(database));
  });
}
