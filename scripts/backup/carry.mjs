import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, stop } from "esbuild";
import { ROOT } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";

const OUT = join(ROOT, ".build/carry");

const SOURCE = `
  export { EXPORTED, OF_DIRECTORY, OF_SERVICE, OF_WORKSPACE } from "./src/carried";
  export * from "./src/backups/commands";
  export { Fence } from "./src/platform/db/residence";
  export { carryOut } from "./src/platform/db/carry/read";
  export { readSums, sumStatement } from "./src/platform/db/carry/statements";
  export { carryIn } from "./src/platform/db/carry/write";
  export { newId, newIdIn, numberOf } from "./src/platform/ids";
  export { rerunOf } from "./src/administration/jobs/rerunnable";
  export { CONTENTS_SQL, secondsOf } from "./src/administration/moves/estimate";
  export { SCHEMA_VERSION } from "./src/platform/db/schema-version";`;

/**
 * What takes and restores backups, as the service has it, and its declarations of tables.
 * @returns {Promise<typeof import("../../src/backups/commands") & {
 *   EXPORTED: typeof import("../../src/carried").EXPORTED,
 *   OF_DIRECTORY: import("../../src/platform/db/carry/declare").Carried[],
 *   OF_SERVICE: import("../../src/platform/db/carry/declare").Carried[],
 *   OF_WORKSPACE: import("../../src/platform/db/carry/declare").Carried[],
 *   Fence: typeof import("../../src/platform/db/residence").Fence,
 *   carryOut: typeof import("../../src/platform/db/carry/read").carryOut,
 *   readSums: typeof import("../../src/platform/db/carry/statements").readSums,
 *   sumStatement: typeof import("../../src/platform/db/carry/statements").sumStatement,
 *   carryIn: typeof import("../../src/platform/db/carry/write").carryIn,
 *   numberOf: typeof import("../../src/platform/ids").numberOf,
 *   newId: typeof import("../../src/platform/ids").newId,
 *   newIdIn: typeof import("../../src/platform/ids").newIdIn,
 *   rerunOf: typeof import("../../src/administration/jobs/rerunnable").rerunOf,
 *   CONTENTS_SQL: string,
 *   secondsOf: typeof import("../../src/administration/moves/estimate").secondsOf,
 *   SCHEMA_VERSION: string,
 * }>}
 */
export async function loadCarry() {
  const outfile = join(OUT, "carry.mjs");
  await unlessDone(
    { stamp: join(OUT, "stamp.json"), inputs: ["src", "package-lock.json", "scripts/backup/carry.mjs"] },
    async () => {
      await build({
        stdin: { contents: SOURCE, resolveDir: ROOT, loader: "ts" },
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        banner: {
          js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
        },
        logLevel: "error",
      });
      await stop();
      return [outfile];
    },
  );
  return import(pathToFileURL(outfile).href);
}
