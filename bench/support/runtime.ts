import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";
import type * as MiniflareModule from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { wrangler } from "../../scripts/service/migrate.mjs";

// The runtime in the version that wrangler uses.
const { convertV4MiniflareOptions, Miniflare } = createRequire(createRequire(import.meta.url).resolve("wrangler"))(
  "miniflare",
) as typeof MiniflareModule;

export interface Runtime {
  stop(): Promise<void>;
}

/** The bundle of a deployment with this configuration, as modules of the runtime. The entry is first. */
async function modulesOf(config: string): Promise<MiniflareModule.V4ModuleDefinition[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-bundle-"));
  try {
    await wrangler("deploy", "--dry-run", "--config", config, "--outdir", folder);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const modules = files.flatMap((file): MiniflareModule.V4ModuleDefinition[] => {
      const path = join(file.parentPath, file.name);
      const named = { path: relative(folder, path) };
      if (path.endsWith(".wasm")) return [{ ...named, type: "CompiledWasm", contents: readFileSync(path) }];
      if (path.endsWith(".txt")) return [{ ...named, type: "Text", contents: readFileSync(path, "utf8") }];
      return path.endsWith(".js") ? [{ ...named, type: "ESModule", contents: readFileSync(path, "utf8") }] : [];
    });
    return modules.toSorted((a, b) => Number(a.type !== "ESModule") - Number(b.type !== "ESModule"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Starts the bundle of a deployment in only the runtime, with the state of a service below `stateDir`. It has no
 * development server with its two proxies.
 */
export async function startRuntime(given: {
  config: string;
  port: number;
  stateDir: string;
  secretsFile: string;
}): Promise<Runtime> {
  const { workerOptions, externalWorkers } = unstable_getMiniflareWorkerOptions(given.config);
  const { modulesRules: _, ...options } = workerOptions;
  const bindings = {
    ...(options.bindings as Record<string, string>),
    ...parseEnv(readFileSync(given.secretsFile, "utf8")),
    PUBLIC_BASE_URL: `http://127.0.0.1:${given.port}`,
  };
  // Requests go directly to the Worker, because the entry of the simulator would add work to each request.
  const unsafeDirectSockets = [{ host: "127.0.0.1", port: given.port }];
  const worker = { ...options, modules: await modulesOf(given.config), bindings, unsafeDirectSockets };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: join(given.stateDir, "v3"),
      // The measured process must not wait for a terminal.
      handleStructuredLogs: () => {},
      workers: [worker, ...externalWorkers],
    }),
  );
  await runtime.ready;
  return { stop: () => runtime.dispose() };
}
