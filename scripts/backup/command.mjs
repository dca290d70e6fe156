import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { describeTarget } from "../service/deployment.mjs";
import { readOptions } from "../service/options.mjs";
import { keepPrivate } from "../service/private.mjs";
import { accountEnvironment, main, nodeForTools, Refusal, runsTools, toolEnvironment } from "../setup/project.mjs";
import { describePlace } from "./store.mjs";

/** The options of each command: what their value is, or null without one. */
const OPTIONS = {
  backup: { "--remote": null, "--keep-days": "days", "--yes": null },
  restore: {
    "--remote": null,
    "--backup": "stamp",
    "--bucket-state": "folder",
    "--workspace": "id",
    "--yes": null,
  },
};

/** The place of backups: a folder, or `bucket:` with the name of a bucket. */
const placeOf = (word, target) =>
  word.startsWith("bucket:") ? { bucket: word.slice("bucket:".length), ...target } : { folder: resolve(word) };

/** Reads `<folder or bucket:name> [options]`. @throws Refusal with the correct usage. */
export function readCommand(name, args) {
  const known = OPTIONS[name];
  const written = Object.entries(known).map(([option, value]) => ` [${option}${value === null ? "" : ` <${value}>`}]`);
  const usage = `Usage: npm run ${name} -- <folder${name === "restore" ? ", export.zip" : ""} or bucket:name>${written.join("")}`;
  const [words, options] = [[], {}];
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (!arg.startsWith("--")) words.push(arg);
    else if (!(arg in known)) throw new Refusal(`${arg} is an unknown option. ${usage}`);
    else options[arg] = known[arg] === null ? true : left.shift();
  }
  if (words.length !== 1 || Object.values(options).includes(undefined)) throw new Refusal(usage);
  const days = options["--keep-days"] ?? "0";
  if (!/^\d{1,4}$/.test(days)) throw new Refusal(`--keep-days needs a number of days. ${usage}`);
  const target = { stateDir: readOptions().stateDir, remote: options["--remote"] === true };
  const state = options["--bucket-state"];
  return {
    place: placeOf(words[0], { ...target, ...(state !== undefined && { stateDir: resolve(state) }) }),
    target,
    options: {
      keepDays: Number(days),
      workspace: options["--workspace"],
      stamp: options["--backup"],
      isConfirmed: options["--yes"] === true,
    },
  };
}

/** Runs a command of backups with a Node for the tools. */
export const runCommand = (name, work) =>
  main(async () => {
    const { place, target, options } = readCommand(name, process.argv.slice(2));
    if (!target.remote) keepPrivate(target.stateDir);
    const environment = target.remote ? accountEnvironment() : toolEnvironment();
    // A tool opens the bucket in this process, so the process needs that Node.
    if (runsTools()) {
      console.log(`Reaching ${describeTarget(target)} …`);
      console.log(`The place of backups: ${describePlace(place)}.`);
      Object.assign(process.env, environment);
      return work(place, target, options);
    }
    const again = spawn(nodeForTools(), [...process.execArgv, ...process.argv.slice(1)], {
      stdio: "inherit",
      env: environment,
    });
    [process.exitCode] = await once(again, "exit");
  });
