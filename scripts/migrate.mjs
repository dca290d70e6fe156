import { migrateAll } from "./service/migrate.mjs";
import { readOptions } from "./service/options.mjs";
import { keepPrivate } from "./service/private.mjs";
import { main, Refusal } from "./setup/project.mjs";

main(async () => {
  const args = process.argv.slice(2);
  if (args.some((arg) => arg !== "--remote")) throw new Refusal("Usage: npm run migrate -- [--remote]");
  const target = { stateDir: readOptions().stateDir, remote: args.includes("--remote") };
  if (!target.remote) keepPrivate(target.stateDir);
  await migrateAll(target, (line) => console.log(line));
});
