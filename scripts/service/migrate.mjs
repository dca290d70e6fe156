import { execFile } from "node:child_process";
import { join } from "node:path";
import { accountEnvironment, nodeForTools, Refusal, ROOT, TOOLS, toolEnvironment } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";
import { allDatabases } from "./deployment.mjs";

/** Runs wrangler and returns its output. @throws Refusal with its last lines. */
export function wrangler(...args) {
  const environment = args.includes("--remote") ? accountEnvironment : toolEnvironment;
  return new Promise((done, fail) =>
    execFile(
      nodeForTools(),
      [TOOLS.wrangler, ...args],
      { cwd: ROOT, env: environment({ CI: "true" }), maxBuffer: 64 * 1024 ** 2 },
      (error, stdout, stderr) => {
        if (error === null) return done(stdout);
        const said = `${stdout}${stderr}`.trim().split("\n").slice(-12).join("\n");
        fail(new Refusal(`\`wrangler ${args.slice(0, 3).join(" ")}\` failed:\n${said}`));
      },
    ),
  );
}

/**
 * Applies all new migrations to each database of wrangler.toml, one after the other. They only add, so the service runs on.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(line: string) => void} [say]
 */
export async function migrateAll({ stateDir, remote }, say = () => {}) {
  const where = remote ? ["--remote"] : ["--local", "--persist-to", stateDir];
  for (const { name, binding, entry } of allDatabases()) {
    say(`Migrating the database ${name} (${entry.database_name}) …`);
    await wrangler("d1", "migrations", "apply", binding, ...where);
  }
}

/**
 * Applies all new migrations to the local databases below `stateDir`.
 * @param {string} stateDir
 * @param {(line: string) => void} [say]
 */
export const migrate = (stateDir, say = () => {}) =>
  unlessDone({ stamp: join(stateDir, "migrated.json"), inputs: ["migrations", "wrangler.toml"] }, async () => {
    await migrateAll({ stateDir, remote: false }, say);
    return [join(stateDir, "v3/d1")];
  });
