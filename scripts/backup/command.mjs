import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { describeTarget } from "../service/deployment.mjs";
import { readOptions } from "../service/options.mjs";
import { keepPrivate } from "../service/private.mjs";
import { accountEnvironment, main, nodeForTools, Refusal, runsTools, toolEnvironment } from "../setup/project.mjs";

/** The options of each command: whether they have a value. */
const OPTIONS = {
  backup: { "--remote": false },
  restore: { "--remote": false, "--workspace": true, "--yes": false },
};

/** Reads `<folder> [options]`. @throws Refusal with the correct usage. */
export function readCommand(name, args) {
  const known = OPTIONS[name];
  const written = Object.entries(known).map(([option, hasValue]) => ` [${option}${hasValue ? " <id>" : ""}]`);
  const usage = `Usage: npm run ${name} -- <folder>${written.join("")}`;
  const [words, options] = [[], {}];
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (!arg.startsWith("--")) words.push(arg);
    else if (!(arg in known)) throw new Refusal(`${arg} is an unknown option. ${usage}`);
    else options[arg] = known[arg] ? left.shift() : true;
  }
  if (words.length !== 1 || Object.values(options).includes(undefined)) throw new Refusal(usage);
  return {
    folder: resolve(words[0]),
    target: { stateDir: readOptions().stateDir, remote: options["--remote"] === true },
    options: { workspace: options["--workspace"], isConfirmed: options["--yes"] === true },
  };
}

/** Runs a command of backups with a Node for the tools. */
export const runCommand = (name, work) =>
  main(async () => {
    const { folder, target, options } = readCommand(name, process.argv.slice(2));
    if (!target.remote) keepPrivate(target.stateDir);
    const environment = target.remote ? accountEnvironment() : toolEnvironment();
    // A tool opens the bucket in this process, so the process needs that Node.
    if (runsTools()) {
      console.log(`Reaching ${describeTarget(target)} …`);
      Object.assign(process.env, environment);
      return work(folder, target, options);
    }
    const again = spawn(nodeForTools(), process.argv.slice(1), { stdio: "inherit", env: environment });
    [process.exitCode] = await once(again, "exit");
  });
