import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Uses a file's module, which names the service's own source: bundled as for a deploy, in this process. */
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
      external: ["cloudflare:*"],
      logLevel: "error",
    });
    return await use((await import(join(process.cwd(), outfile))) as Record<string, unknown>);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
