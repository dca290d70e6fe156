import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { machine, writeSection } from "../support/results.ts";

const COLLECTIONS = process.env.COLLECTIONS ?? "../shared/collections";
/** Test collections with judged queries, as folders of COLLECTIONS. */
const RELEVANCE_COLLECTIONS = ["cranfield", "cisi", "npl"];
/**
 * Runs only `relevance`, `known`, `guests`, `scale`, `suggestions` (a part of `scale`) or `worlds`. `build` makes the databases of `scale` in BENCH_FOLDER for later runs.
 */
const only = process.argv[2];
const kept = process.env.BENCH_FOLDER;
const wanted = (name: string): boolean => only === undefined || only === name;

/** Replaces the modules of the Workers runtime and vitest in this process. */
const inThisProcess: Plugin = {
  name: "in this process",
  setup({ onResolve }) {
    const path = join(process.cwd(), "bench/search/runtime.ts");
    onResolve({ filter: /^(cloudflare:(workers|test)|vitest)$/ }, () => ({ path }));
  },
};

/** Loads the service's source in this process, bundled like for a deployment. */
async function bundled<T>(entry: string, use: (module: T) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join("node_modules", ".bench-"));
  const outfile = join(folder, "bundle.mjs");
  await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [inThisProcess],
    // Pictures are not measured, so their code is not loaded.
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

if (wanted("relevance"))
  await bundled<typeof import("./relevance.ts")>("bench/search/relevance.ts", async ({ measureRelevance }) => {
    const measured: string[] = [];
    for (const name of RELEVANCE_COLLECTIONS) {
      const relevance = await measureRelevance(`${COLLECTIONS}/${name}`);
      if (relevance === null) console.log(`No collection in ${COLLECTIONS}/${name}: set COLLECTIONS to its folder.`);
      else measured.push(`${name}: ${relevance}`);
    }
    if (measured.length > 0) writeSection("Search: relevance", `${machine()}. ${measured.join("\n\n")}`);
  });

if (wanted("known"))
  await bundled<typeof import("./known-items.ts")>("bench/search/known-items.ts", async ({ measureKnownItems }) => {
    const known = await measureKnownItems();
    writeSection("Search: known items", `${machine()}. ${known}`);
    console.log(known);
  });

if (wanted("guests"))
  await bundled<typeof import("./guests.ts")>("bench/search/guests.ts", async ({ measureGuests }) => {
    const { text, slow } = await measureGuests();
    writeSection("Search: guests", `${machine()}. ${text}`);
    if (slow.length > 0) {
      console.error(`Many grants cost too much: ${slow.join("; ")}.`);
      process.exitCode = 1;
    }
  });

if (only === "build") {
  if (kept === undefined) throw new Error("Set BENCH_FOLDER to the folder of the databases.");
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

if (only === "suggestions")
  await bundled<typeof import("./scale.ts")>("bench/search/scale.ts", async ({ measureSuggestions }) => {
    const suggestions = await measureSuggestions(kept);
    writeSection(
      "Search: suggestions",
      `${machine()}. SQLite of Node on the service's schema, its own code, time inside SQLite. ${suggestions}`,
    );
    console.log(suggestions);
  });

if (wanted("worlds"))
  await bundled<typeof import("./secrecy.ts")>(
    "bench/search/secrecy.ts",
    async ({ measureSecrecy, measureGuestWorlds }) => {
      const secrecy = `${await measureSecrecy()}\n\n${await measureGuestWorlds()}`;
      writeSection("Search: secrecy", `${machine()}. ${secrecy}`);
      console.log(secrecy);
    },
  );
