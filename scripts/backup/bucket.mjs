import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "./database.mjs";

const BUCKET = "document-workspace";
/** Objects that are read or written at once; each may have 100 MiB. */
const AT_ONCE = 4;

/**
 * Opens the bucket, the local one or that of the account, while `work` runs.
 * @param {import("./database.mjs").Target} target
 * @param {(bucket: import("@cloudflare/workers-types").R2Bucket) => Promise<T>} work
 * @template T
 */
export const withBucket = ({ stateDir, remote }, work) =>
  withFolder(async (folder) => {
    const config = join(folder, "wrangler.json");
    const binding = { binding: "BUCKET", bucket_name: BUCKET, ...(remote && { remote }) };
    const settings = { name: "backup", compatibility_date: "2026-01-01", r2_buckets: [binding] };
    writeFileSync(config, JSON.stringify(settings));
    const { getPlatformProxy } = await import("wrangler");
    const persist = remote ? false : { path: join(stateDir, "v3") };
    const { env, dispose } = await getPlatformProxy({ configPath: config, persist, remoteBindings: remote });
    try {
      return await work(env.BUCKET);
    } finally {
      await dispose();
    }
  });

/** Does the work for each, some at a time. */
export async function eachOf(all, work) {
  const left = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await work(one);
    }),
  );
}
