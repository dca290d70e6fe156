import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

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
      // The form for workerd imports a file of WebAssembly.
      alias: { "@cf-wasm/photon/workerd": "@cf-wasm/photon/node" },
      logLevel: "error",
    });
    return await use((await import(join(process.cwd(), outfile))) as Record<string, unknown>);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
