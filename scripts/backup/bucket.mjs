import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDeployment } from "../service/deployment.mjs";
import { withFolder } from "./freeze.mjs";

/** A bucket of the account, through wrangler, which has the sign-in. */
const withRemoteBucket = (name, work) =>
  withFolder(async (folder) => {
    const config = join(folder, "wrangler.json");
    const r2_buckets = [{ binding: "BUCKET", bucket_name: name, remote: true }];
    writeFileSync(config, JSON.stringify({ name: "backup", compatibility_date: "2026-01-01", r2_buckets }));
    const { getPlatformProxy } = await import("wrangler");
    const { env, dispose } = await getPlatformProxy({ configPath: config, persist: false, remoteBindings: true });
    try {
      return await work(env.BUCKET);
    } finally {
      await dispose();
    }
  });

/** A bucket of a local state, through the part of wrangler that keeps it: wrangler itself takes 130 MB of memory more. */
async function withLocalBucket(stateDir, name, work) {
  const { Miniflare, convertV4MiniflareOptions } = await import("miniflare");
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...{ modules: true, script: "export default {}", compatibilityDate: "2026-01-01", cf: false },
      ...{ r2Buckets: { BUCKET: name }, resourcePersistencePath: join(stateDir, "v3") },
    }),
  );
  try {
    return await work(await runtime.getR2Bucket("BUCKET"));
  } finally {
    await runtime.dispose();
  }
}

/**
 * Opens a local bucket or a bucket of the account while `work` runs.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(bucket: import("@cloudflare/workers-types").R2Bucket) => Promise<T>} work
 * @param {string} [name] the bucket of the service if it is absent
 * @template T
 */
export const withBucket = ({ stateDir, remote }, work, name = readDeployment().bucket.bucket_name) =>
  remote ? withRemoteBucket(name, work) : withLocalBucket(stateDir, name, work);
