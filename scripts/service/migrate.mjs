import { execFile } from "node:child_process";
import { join } from "node:path";
import { accountEnvironment, nodeForTools, Refusal, ROOT, TOOLS, toolEnvironment } from "../setup/project.mjs";
import { unlessDone } from "../setup/stamp.mjs";
import { DATABASE_BINDING } from "./deployment.mjs";

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
 * Applies all new migrations to the local database below `stateDir`.
 * @param {string} stateDir
 * @param {(line: string) => void} [say]
 */
export const migrate = (stateDir, say = () => {}) =>
  unlessDone({ stamp: join(stateDir, "migrated.json"), inputs: ["migrations"] }, async () => {
    say(`Migrating the database in ${stateDir} …`);
    await wrangler("d1", "migrations", "apply", DATABASE_BINDING, "--local", "--persist-to", stateDir);
    return [join(stateDir, "v3/d1")];
  });
