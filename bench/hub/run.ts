import { loadavg } from "node:os";
import { machine, table, writeSection } from "../support/results.ts";
import { missed, scenarios } from "./scenarios.ts";
import { BenchService } from "./service.ts";

/* `npm run bench:hub -- [scenario…]`: all scenarios or the named ones. Each writes its own table. HUB_DRY=1 writes none. */

const PORT = Number(process.env.PORT ?? 8881);

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : Object.keys(scenarios)) {
  const scenario = scenarios[name];
  if (scenario === undefined) throw new Error(`no scenario ${name}; there are ${Object.keys(scenarios).join(", ")}`);
  const service = new BenchService(PORT);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void service.end().finally(() => process.exit(1)));
  await service.prepare();
  try {
    const rows = await scenario.run(service);
    const section = `${machine()}, load average ${loadavg()[0]?.toFixed(1)} at the end. ${scenario.setting}

${table(["what", "measured", "limit"], rows)}`;
    console.log(`${scenario.title}\n${section}`);
    if (process.env.HUB_DRY === undefined) writeSection(scenario.title, section);
  } finally {
    await service.end();
  }
}
if (missed.length > 0) console.error(`over the limit: ${missed.join("; ")}`);
process.exit(missed.length > 0 ? 1 : 0);
