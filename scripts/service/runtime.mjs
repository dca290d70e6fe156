import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";

const require = createRequire(import.meta.url);
/** The runtime in the version that wrangler uses. */
export const loadMiniflare = () => createRequire(require.resolve("wrangler"))("miniflare");

/**
 * The options of the runtime that wrangler makes from a configuration, as JSON can hold them.
 * @param {string} config a file of wrangler
 */
export async function runtimeOptions(config) {
  const { unstable_getMiniflareWorkerOptions } = await import("wrangler");
  const { modulesRules: _, ...options } = unstable_getMiniflareWorkerOptions(config).workerOptions;
  return options;
}

const KINDS = [
  [".wasm", "CompiledWasm"],
  [".txt", "Text"],
  [".js", "ESModule"],
];

/** The modules of the bundle of a deployment, which `bundleWorker` has written to a folder. The entry is first. */
export function modulesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const modules = files.flatMap((file) => {
    const path = join(file.parentPath, file.name);
    const [, type] = KINDS.find(([ending]) => path.endsWith(ending)) ?? [];
    if (type === undefined) return [];
    return [
      { path: relative(folder, path), type, contents: readFileSync(path, type === "CompiledWasm" ? null : "utf8") },
    ];
  });
  return modules.toSorted((a, b) => Number(a.type !== "ESModule") - Number(b.type !== "ESModule"));
}

/**
 * Starts the bundle of a deployment in only the runtime, without the development server of wrangler: its start takes a third of
 * the CPU, and no proxy is between a client and the Worker.
 * @param {{ options: object, folder: string, port: number, stateDir: string, secretsFile: string, vars?: Record<string, string>, isDirect?: boolean,
 * isSilent?: boolean, hasExplorer?: boolean }} given `isDirect`: requests go to the Worker without the entry of the runtime, which would add work to each of them;
 * `hasExplorer`: the databases can be reached in Cloudflare's local form of its HTTP API
 * @returns {Promise<{ stop: () => Promise<void> }>}
 */
export async function startRuntime({
  options,
  folder,
  port,
  stateDir,
  secretsFile,
  vars = {},
  isDirect = false,
  isSilent = false,
  hasExplorer = false,
}) {
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = loadMiniflare();
  const bindings = { ...options.bindings, ...parseEnv(readFileSync(secretsFile, "utf8")), ...vars };
  const address = { host: "127.0.0.1", port };
  const worker = {
    ...options,
    modules: modulesIn(folder),
    bindings,
    ...(isDirect && { unsafeDirectSockets: [address] }),
  };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...address,
      ...(isDirect && { port: 0 }),
      resourcePersistencePath: join(stateDir, "v3"),
      // The door for mails, as wrangler opens it.
      unsafeTriggerHandlers: true,
      unsafeLocalExplorer: hasExplorer,
      // A process that is measured must not wait for a terminal.
      ...(isSilent ? { handleStructuredLogs: () => {} } : { log: new Log(LogLevel.INFO) }),
      workers: [worker],
    }),
  );
  await runtime.ready;
  return { stop: () => runtime.dispose() };
}
