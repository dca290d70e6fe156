import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { machine, writeSection } from "../support/results.ts";

/** Runs a function of a file that uses the service's own source, bundled as for a deploy, in this process. */
async function bundled<T>(entry: string, use: (module: Record<string, unknown>) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join("node_modules", ".bench-"));
  const outfile = join(folder, "bundle.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["cloudflare:*"],
    logLevel: "error",
  });
  try {
    return await use((await import(join(process.cwd(), outfile))) as Record<string, unknown>);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const parts: Record<string, () => Promise<void>> = {
  async sql() {
    const rows = await bundled("bench/archive/sql.ts", ({ measureSql }) => (measureSql as () => Promise<string>)());
    write(
      "Camera archive",
      `SQLite of Node on the service's schema, its own code, CPU time inside SQLite, 100 calls a row. A camera with an image
a minute but for nights and outages, beside one with a hundredth of it, in one database.

${rows}`,
    );
  },
  async exports() {
    const { measureExports } = await import("./exports.ts");
    write("Camera exports", await measureExports());
  },
  async judges() {
    const { judgeExports } = await import("./judges.ts");
    write("Camera exports beyond 4 GiB and 65,535 members", await judgeExports());
  },
};

function write(title: string, body: string): void {
  const text = `${machine()}. ${body}`;
  writeSection(title, text);
  console.log(text);
}

const asked = process.argv[2];
const chosen = asked === undefined ? Object.values(parts) : [parts[asked]];
for (const part of chosen) {
  if (part === undefined) throw new Error(`no part ${asked}: ${Object.keys(parts).join(", ")}`);
  await part();
}
