import { execFile } from "node:child_process";
import { join } from "node:path";
import { accountEnvironment, nodeForTools, Refusal, ROOT, TOOLS, toolEnvironment } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";
import { allDatabases, readDatabases } from "./deployment.mjs";
import { deployedConfig } from "./own-settings.mjs";
import { configTextOf } from "./several.mjs";

/** Runs a program with a Node for the tools and returns its output. @throws Refusal with its last lines, after `failed` */
const run = (args, env, failed) =>
  new Promise((done, fail) =>
    execFile(nodeForTools(), args, { cwd: ROOT, env, maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      const said = `${stdout}${stderr}`.trim().split("\n").slice(-12).join("\n");
      fail(new Refusal(`${failed}:\n${said}`));
    }),
  );

/** Runs wrangler and returns its output; with `--remote` for the deployment that the environment selects. @throws Refusal with its last lines. */
export function wrangler(...args) {
  const isRemote = args.includes("--remote");
  const environment = isRemote ? accountEnvironment : toolEnvironment;
  return run(
    [TOOLS.wrangler, ...args, ...(isRemote ? ["--config", deployedConfig()] : [])],
    environment({ CI: "true" }),
    `\`wrangler ${args.slice(0, 3).join(" ")}\` failed`,
  );
}

/** The databases of a target. @param {{ stateDir: string, remote: boolean }} target */
export const databasesOf = ({ stateDir, remote }) => readDatabases(remote ? undefined : configTextOf(stateDir));

/**
 * Applies all new migrations to each database of a target, one after the other. They only add, so the service runs on.
 * @param {{ stateDir: string, remote: boolean }} target
 * @param {(line: string) => void} [say]
 */
export async function migrateAll(target, say = () => {}) {
  const all = allDatabases(databasesOf(target));
  const described = ({ name, entry }) => `${name} (${entry.database_name})`;
  if (!target.remote) {
    say(`Migrating the ${all.length === 1 ? "database" : "databases"} ${all.map(described).join(", ")} …`);
    const program = join(import.meta.dirname, "migrate-local.mjs");
    await run(
      [program, target.stateDir],
      toolEnvironment(),
      `The databases below ${target.stateDir} could not be migrated`,
    );
    return;
  }
  for (const one of all) {
    say(`Migrating the database ${described(one)} …`);
    await wrangler("d1", "migrations", "apply", one.binding, "--remote");
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
