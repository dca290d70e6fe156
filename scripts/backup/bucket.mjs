import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDeployment } from "../service/deployment.mjs";
import { withFolder } from "./freeze.mjs";

/**
 * Opens a local bucket or a bucket of the account while `work` runs.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(bucket: import("@cloudflare/workers-types").R2Bucket) => Promise<T>} work
 * @param {string} [name] the bucket of the service if it is absent
 * @template T
 */
export const withBucket = ({ stateDir, remote }, work, name = readDeployment().bucket.bucket_name) =>
  withFolder(async (folder) => {
    const config = join(folder, "wrangler.json");
    const binding = { binding: "BUCKET", bucket_name: name, ...(remote && { remote }) };
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
