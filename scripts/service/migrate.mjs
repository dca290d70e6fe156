import { execFile } from "node:child_process";
import { join } from "node:path";
import { accountEnvironment, nodeForTools, Refusal, ROOT, TOOLS, toolEnvironment } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";
import { allDatabases, readDatabases } from "./deployment.mjs";
import { configOf, configTextOf } from "./several.mjs";

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

/** The options of wrangler that name the databases of a target. @param {{ stateDir: string, remote: boolean }} target */
export const whereOf = ({ stateDir, remote }) =>
  remote ? ["--remote"] : ["--local", "--persist-to", stateDir, "--config", configOf(stateDir)];

/** The databases of a target. @param {{ stateDir: string, remote: boolean }} target */
export const databasesOf = ({ stateDir, remote }) => readDatabases(remote ? undefined : configTextOf(stateDir));

/**
 * Applies all new migrations to each database of wrangler.toml, one after the other. They only add, so the service runs on.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(line: string) => void} [say]
 */
export async function migrateAll(target, say = () => {}) {
  for (const { name, binding, entry } of allDatabases(databasesOf(target))) {
    say(`Migrating the database ${name} (${entry.database_name}) …`);
    await wrangler("d1", "migrations", "apply", binding, ...whereOf(target));
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
