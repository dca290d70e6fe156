import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../../scripts/service/prepared.mjs";
import { runtimeOptions, startRuntime as startBundle } from "../../scripts/service/runtime.mjs";

export interface Runtime {
  stop(): Promise<void>;
}

/** Starts the bundle of a deployment with this configuration in only the runtime, with the state of a service below `stateDir`. */
export async function startRuntime(given: {
  config: string;
  port: number;
  stateDir: string;
  secretsFile: string;
}): Promise<Runtime> {
  const { config, ...where } = given;
  const folder = mkdtempSync(join(tmpdir(), "bench-bundle-"));
  try {
    await bundleWorker(folder, config);
    const vars = { PUBLIC_BASE_URL: `http://127.0.0.1:${where.port}` };
    return await startBundle({
      ...where,
      folder,
      options: await runtimeOptions(config),
      vars,
      isDirect: true,
      isSilent: true,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
