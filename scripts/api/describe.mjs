import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { writePdfjs } from "../setup/pdfjs.mjs";
import { ROOT } from "../setup/project.mjs";

const OUT = join(ROOT, ".build/api");

/** Stubs of modules that only the Workers runtime has. The description does not use them. */
const withoutRuntime = {
  name: "without-runtime",
  setup(bundler) {
    bundler.onResolve({ filter: /^cloudflare:|\.wasm(\?module)?$/ }, ({ path }) => ({ path, namespace: "runtime" }));
    bundler.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({
      contents:
        "class Base {}; module.exports = { DurableObject: Base, WorkerEntrypoint: Base, env: {}, default: {} };",
    }));
  },
};

/** The OpenAPI description as an object, the same as in /openapi.json. It starts no service. */
export async function describeApi() {
  mkdirSync(OUT, { recursive: true });
  writePdfjs();
  const outfile = join(OUT, "app.mjs");
  await build({
    stdin: {
      contents: `
        import { app } from "./src/app";
        import { describeApi } from "./src/platform/http/description";
        export const description = () => describeApi(app);`,
      resolveDir: ROOT,
      loader: "ts",
    },
    outfile,
    bundle: true,
    platform: "node",
    conditions: ["workerd", "worker", "browser"],
    format: "esm",
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
    plugins: [withoutRuntime],
  });
  const { description } = await import(`${pathToFileURL(outfile)}?${Date.now()}`);
  return description();
}
