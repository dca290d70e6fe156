import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { machine, writeSection } from "../support/results.ts";
import { measureRelevance } from "./relevance.ts";

const COLLECTIONS = process.env.COLLECTIONS ?? "../shared/collections";
/** `relevance`, `scale` or `worlds` alone; `build` makes the databases of the scale in BENCH_FOLDER, for later. */
const only = process.argv[2];
const kept = process.env.BENCH_FOLDER;
const wanted = (name: string): boolean => only === undefined || only === name;

/** What the Workers runtime and vitest would be, in this process. */
const inThisProcess: Plugin = {
  name: "in this process",
  setup({ onResolve }) {
    const path = join(process.cwd(), "bench/search/runtime.ts");
    onResolve({ filter: /^(cloudflare:(workers|test)|vitest)$/ }, () => ({ path }));
  },
};

/** The service's own source, bundled as for a deploy, in this process. */
async function bundled<T>(entry: string, use: (module: T) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join("node_modules", ".bench-"));
  const outfile = join(folder, "bundle.mjs");
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [inThisProcess],
    // Pictures are not measured here: their code is never loaded.
    loader: { ".wasm": "empty" },
    outfile,
    logLevel: "error",
  });
  try {
    await use((await import(join(process.cwd(), outfile))) as T);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (wanted("relevance")) {
  const relevance = await measureRelevance(`${COLLECTIONS}/cranfield`);
  if (relevance === null) console.log(`No collection in ${COLLECTIONS}/cranfield: set COLLECTIONS to where it is.`);
  else writeSection("Search: relevance", `${machine()}. Cranfield: ${relevance}`);
}

if (only === "build") {
  if (kept === undefined) throw new Error("Set BENCH_FOLDER to where the databases are to be kept.");
  await bundled<typeof import("./scale.ts")>("bench/search/scale.ts", async (scale) => void (await scale.build(kept)));
}

if (wanted("scale"))
  await bundled<typeof import("./scale.ts")>("bench/search/scale.ts", async ({ measureScale }) => {
    const scale = await measureScale(kept);
    writeSection(
      "Search: scale",
      `${machine()}. SQLite of Node on the service's schema, its own code, time inside SQLite. ${scale}`,
    );
    console.log(scale);
  });

if (wanted("worlds"))
  await bundled<typeof import("./secrecy.ts")>("bench/search/secrecy.ts", async ({ measureSecrecy }) => {
    const secrecy = await measureSecrecy();
    writeSection("Search: secrecy", `${machine()}. ${secrecy}`);
    console.log(secrecy);
  });
