import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { main, Refusal } from "../setup/project.mjs";

const USAGE = "npm run camera -- --state <folder> [--url http://127.0.0.1:8787] [--site 0]";

/** Asks for the code, so that it is not in the history of a shell. */
async function askForCode() {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const code = await lines.question("Pairing code: ");
  lines.close();
  return code.trim();
}

main(async () => {
  const { values } = parseArgs({
    options: {
      url: { type: "string", default: "http://127.0.0.1:8787" },
      state: { type: "string" },
      site: { type: "string", default: "0" },
    },
  });
  if (values.state === undefined) throw new Refusal(`Usage: ${USAGE}`);
  const { runCamera } = await import("./run.mjs");
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopping.abort());
  await runCamera({
    url: values.url,
    folder: values.state,
    pairingCode: askForCode,
    site: Number(values.site),
    say: (line) => console.log(line),
    stopping: stopping.signal,
  });
});
