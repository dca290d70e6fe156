import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/**
 * Builds one file that needs Node and nothing else.
 * @param {string} [outfile]
 * @param {"main" | "index"} [entry] the program of a device, or the gateway as a module
 * @returns {Promise<string>} path of the file
 */
export async function buildGateway(outfile = join(HERE, "dist/gateway.mjs"), entry = "main") {
  await build({
    entryPoints: [join(HERE, `src/${entry}.ts`)],
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
