import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { main, Refusal } from "../setup/project.mjs";

const USAGE = "npm run camera -- --state <folder> [--url http://127.0.0.1:8787] [--site 0]";

main(async () => {
  const { values } = parseArgs({
    options: {
      url: { type: "string", default: "http://127.0.0.1:8787" },
      state: { type: "string" },
      site: { type: "string", default: "0" },
    },
  });
  if (values.state === undefined) throw new Refusal(`Usage: ${USAGE}`);
  const { loadGateway, runGateway } = await import("./gateway.mjs");
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopping.abort());
  const folder = resolve(values.state);
  const module = await loadGateway(folder);
  const shoot = join(import.meta.dirname, "shoot.mjs");
  const command = [process.execPath, shoot, "{width}", "{height}", "{quality}", String(Number(values.site))];
  try {
    await runGateway(module, {
      url: values.url,
      folder,
      cameras: [{ name: "camera", command, pairingCode: () => module.readCode(null) }],
      say: (line) => console.log(line),
      stopping: stopping.signal,
    });
  } catch (thrown) {
    throw thrown instanceof module.Refusal ? new Refusal(thrown.message) : thrown;
  }
  // A terminal can keep the process alive.
  process.exit();
});
