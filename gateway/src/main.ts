import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { examine } from "./commands/doctor";
import { pair } from "./commands/pair";
import { readCode } from "./commands/secret";
import { status } from "./commands/status";
import { isReadOnly } from "./files";
import { Gateway } from "./gateway";
import { spareCompiler } from "./memory";
import { Refusal } from "./refusal";
import { DEFAULT_SETTINGS_FILE, readSettings, type Settings } from "./settings";

const USAGE = `gateway pair <camera> [--code-fd <number>]   pair a camera; it asks for the code
gateway run                                   take, store and send images until you stop it
gateway status [--json]                       show the waiting images and current faults
gateway doctor [--json]                       find faults, and give advice for each
Each takes --config <file> (default ${DEFAULT_SETTINGS_FILE}).`;

const MARK = { good: "ok  ", warning: "warn", bad: "BAD " } as const;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        config: { type: "string", default: DEFAULT_SETTINGS_FILE },
        json: { type: "boolean", default: false },
        "code-fd": { type: "string" },
      },
    });
  } catch (thrown) {
    throw new Refusal(`${(thrown as Error).message}\n\n${USAGE}`);
  }
}

/** The camera of `gateway pair`. @throws Refusal for further words, because one of them can be the code. */
function onlyCamera([name, ...further]: string[]): string {
  if (name === undefined) throw new Refusal(USAGE);
  if (further.length > 0)
    throw new Refusal(
      `\`gateway pair\` takes only the name of a camera, and you gave "${name}" and ${further.length} more. The pairing code is not an argument: run \`gateway pair ${name}\`, and type the code when the command asks for it. If you gave a code, it is in the history of this shell now: request a new one.`,
    );
  return name;
}

function descriptorOf(given: string | undefined): number | null {
  if (given === undefined) return null;
  if (!/^\d{1,5}$/.test(given)) throw new Refusal("--code-fd needs the number of a file descriptor, such as 3.");
  return Number(given);
}

/** Time between two attempts to start on a read-only file system. */
const READ_ONLY_RETRY_MS = 60_000;

/** Runs the gateway. If its state cannot be written at the start, it waits and tries again, and does not end. */
async function runAtLast(settings: Settings, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  for (;;)
    try {
      return await new Gateway({ settings, say }).run(signal);
    } catch (thrown) {
      if (!isReadOnly(thrown)) throw thrown;
      say(`The file system of ${settings.stateFolder} is read-only. The gateway waits until it can write.`);
      await wait(READ_ONLY_RETRY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [command, ...further] = positionals;
  if (command !== "pair" && further.length > 0)
    throw new Refusal(`\`gateway ${command}\` takes no "${further.join(" ")}".\n\n${USAGE}`);
  const print = (line: string) => console.log(line);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
  switch (command) {
    case "pair": {
      const name = onlyCamera(further);
      const descriptor = descriptorOf(values["code-fd"]);
      await pair(readSettings(values.config), name, () => readCode(descriptor), stopping.signal);
      return print(`${name} is paired.`);
    }
    case "run":
      return runAtLast(readSettings(values.config), print, stopping.signal);
    case "status":
      return status(readSettings(values.config), values.json, print);
    case "doctor": {
      const findings = await examine(readSettings(values.config), stopping.signal);
      if (values.json) print(JSON.stringify(findings, null, 2));
      else
        for (const { what, verdict, finding, advice } of findings)
          print(`${MARK[verdict]} ${what}: ${finding}${advice === undefined ? "" : `\n     ${advice}`}`);
      if (findings.some(({ verdict }) => verdict === "bad")) process.exitCode = 1;
      return;
    }
    default:
      throw new Refusal(USAGE);
  }
}

spareCompiler();
main().then(
  // A terminal or a socket can keep the process alive.
  () => process.exit(),
  (thrown: unknown) => {
    console.error(thrown instanceof Refusal ? thrown.message : thrown);
    process.exit(1);
  },
);
