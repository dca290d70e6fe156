import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDeployment } from "../service/deployment.mjs";
import { withFolder } from "./freeze.mjs";

/** Objects that are read or written in parallel. */
const MAX_PARALLEL = 4;

/**
 * Opens the local bucket or the account's bucket while `work` runs.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(bucket: import("@cloudflare/workers-types").R2Bucket) => Promise<T>} work
 * @template T
 */
export const withBucket = ({ stateDir, remote }, work) =>
  withFolder(async (folder) => {
    const config = join(folder, "wrangler.json");
    const binding = { binding: "BUCKET", bucket_name: readDeployment().bucket.bucket_name, ...(remote && { remote }) };
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

/** Runs `work` for each item, MAX_PARALLEL at a time. */
export async function eachOf(all, work) {
  const left = all[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: MAX_PARALLEL }, async () => {
      for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
    }),
  );
}
