import { parseArgs } from "node:util";
import { examine } from "./commands/doctor";
import { pair } from "./commands/pair";
import { readCode } from "./commands/secret";
import { status } from "./commands/status";
import { Gateway } from "./gateway";
import { spareCompiler } from "./memory";
import { Refusal } from "./refusal";
import { DEFAULT_SETTINGS_FILE, readSettings } from "./settings";

const USAGE = `gateway pair <camera> [--code-fd <number>]   pair a camera; it asks for the code
gateway run                                   take, store and send images until you stop it
gateway status [--json]                       show the waiting images and present faults
gateway doctor [--json]                       find faults, and give advice for each
Each takes --config <file> (default ${DEFAULT_SETTINGS_FILE}).`;

const MARK = { good: "ok  ", warning: "warn", bad: "BAD " } as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      config: { type: "string", default: DEFAULT_SETTINGS_FILE },
      json: { type: "boolean", default: false },
      "code-fd": { type: "string" },
    },
  });
  const [command, name] = positionals;
  const print = (line: string) => console.log(line);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
  switch (command) {
    case "pair": {
      if (name === undefined) throw new Refusal(USAGE);
      const descriptor = values["code-fd"] === undefined ? null : Number(values["code-fd"]);
      await pair(readSettings(values.config), name, () => readCode(descriptor), stopping.signal);
      return print(`${name} is paired.`);
    }
    case "run":
      return new Gateway({ settings: readSettings(values.config), say: print }).run(stopping.signal);
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
