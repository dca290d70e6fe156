import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { describeTarget } from "../service/deployment.mjs";
import { readOptions } from "../service/options.mjs";
import { keepPrivate } from "../service/private.mjs";
import { accountEnvironment, main, nodeForTools, Refusal, runsTools, toolEnvironment } from "../setup/project.mjs";

/** Reads `<folder> [--remote]`. @throws Refusal with the correct usage. */
function readCommand(name, args) {
  const usage = `Usage: npm run ${name} -- <folder> [--remote]`;
  const unknown = args.find((arg) => arg.startsWith("--") && arg !== "--remote");
  if (unknown !== undefined) throw new Refusal(`${unknown} is an unknown option. ${usage}`);
  const words = args.filter((arg) => !arg.startsWith("--"));
  if (words.length !== 1) throw new Refusal(usage);
  return { folder: resolve(words[0]), target: { stateDir: readOptions().stateDir, remote: args.includes("--remote") } };
}

/** Runs a command of backups with a Node for the tools. */
export const runCommand = (name, work) =>
  main(async () => {
    const { folder, target } = readCommand(name, process.argv.slice(2));
    if (!target.remote) keepPrivate(target.stateDir);
    const environment = target.remote ? accountEnvironment() : toolEnvironment();
    // A tool opens the bucket in this process, so the process needs that Node.
    if (runsTools()) {
      console.log(`Reaching ${describeTarget(target)} …`);
      Object.assign(process.env, environment);
      return work(folder, target);
    }
    const again = spawn(nodeForTools(), process.argv.slice(1), { stdio: "inherit", env: environment });
    [process.exitCode] = await once(again, "exit");
  });
