import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ROOT } from "../../../scripts/setup/project.mjs";

const KEYS = { accessKeyId: "a-key-of-tests", secretAccessKey: "a-secret-key-of-tests" };
/** The address at which `wrangler dev` serves the buckets that have keys. */
const ENDPOINT_PATH = "/cdn-cgi/local/r2/s3";

/** The settings of `s3` mode, for a service at `url` that runs with the configuration of `localR2`. */
export const s3Settings = (url: string, bucket: string) => ({
  OBJECT_STORE: "s3",
  S3_ENDPOINT: `${url}${ENDPOINT_PATH}`,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: KEYS.accessKeyId,
  S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
});

/** The project's configuration with keys for the S3 endpoint at which wrangler then serves its bucket. */
export function localR2(): { config: string; bucket: string; remove: () => void } {
  const own = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const bucket = /^bucket_name = "(.+)"$/m.exec(own)?.[1];
  if (bucket === undefined) throw new Error("wrangler.toml names no bucket");
  const { accessKeyId, secretAccessKey } = KEYS;
  const keys = `local_dev.experimental_s3_credentials = { accessKeyId = "${accessKeyId}", secretAccessKey = "${secretAccessKey}" }`;
  const folder = mkdtempSync(join(tmpdir(), "local-r2-"));
  const config = join(folder, "wrangler.toml");
  const moved = own
    .replace(/^bucket_name = .+$/m, (line) => `${line}\n${keys}`)
    .replace(
      /^(main|directory|migrations_dir|zod) = "(.+)"$/gm,
      (_, name, path) => `${name} = ${JSON.stringify(resolve(ROOT, path))}`,
    );
  writeFileSync(config, moved);
  return { config, bucket, remove: () => rmSync(folder, { recursive: true }) };
}
