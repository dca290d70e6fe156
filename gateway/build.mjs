import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/**
 * Makes the one file that runs on a device: it needs Node and nothing else.
 * @param {string} [outfile]
 * @returns {Promise<string>} where it is
 */
export async function buildGateway(outfile = join(HERE, "dist/gateway.mjs")) {
  await build({
    entryPoints: [join(HERE, "src/main.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "warning",
  });
  chmodSync(outfile, 0o755);
  return outfile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildGateway());
