import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

/** Loads a file of WebAssembly as a compiled module, as workerd does. */
const compiledWasm: Plugin = {
  name: "compiled-wasm",
  setup(building) {
    const { resolve } = createRequire(import.meta.url);
    building.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path: resolve(path), namespace: "wasm" }));
    building.onLoad({ filter: /.*/, namespace: "wasm" }, ({ path }) => ({
      contents: `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(${JSON.stringify(path)}));`,
    }));
  },
};

/** Loads a module that imports the service's source, bundled like for a deployment, in this process. */
export async function bundled<T>(entry: string, use: (module: Record<string, unknown>) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join("node_modules", ".bench-"));
  const outfile = join(folder, "bundle.mjs");
  try {
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["cloudflare:*", "@cf-wasm/*"],
      plugins: [compiledWasm],
      logLevel: "error",
    });
    return await use((await import(join(process.cwd(), outfile))) as Record<string, unknown>);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
