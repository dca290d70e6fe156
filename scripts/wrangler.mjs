import { spawn } from "node:child_process";
import { describeTarget } from "./service/deployment.mjs";
import { deployedConfig } from "./service/own-settings.mjs";
import { accountEnvironment, main, nodeForTools, ROOT, TOOLS } from "./setup/project.mjs";

/* `npm run wrangler -- <command>`: a command of wrangler for the deployment that DEPLOYMENT selects. `npm run deploy` is one. */

main(async () => {
  const args = process.argv.slice(2);
  console.error(`Reaching ${describeTarget({ remote: true, stateDir: "" })} …`);
  const child = spawn(nodeForTools(), [TOOLS.wrangler, ...args, "--config", deployedConfig()], {
    cwd: ROOT,
    env: accountEnvironment(),
    stdio: "inherit",
  });
  process.exitCode = await new Promise((done) => child.once("exit", (code) => done(code ?? 1)));
});
