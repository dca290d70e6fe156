import { spawn } from "node:child_process";
import { once } from "node:events";
import { makeWritable } from "./service/options.mjs";
import { ensureInstalled } from "./setup/install.mjs";
import { CACHE, main, nodeForTools, ROOT, TOOLS, toolEnvironment, WEB } from "./setup/project.mjs";

/** `npm test [-- arguments of vitest]`: prepares everything that the tests need, then runs vitest. */
main(async () => {
  makeWritable(CACHE, WEB);
  await ensureInstalled();
  const { buildWeb } = await import("./setup/web.mjs");
  const { linkBrowser } = await import("./setup/browser.mjs");
  const { writeSchema } = await import("./api/generate.mjs");
  await Promise.all([buildWeb(), linkBrowser(), writeSchema()]);
  const child = spawn(nodeForTools(), [TOOLS.vitest, "run", ...process.argv.slice(2)], {
    cwd: ROOT,
    env: toolEnvironment(),
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "exit");
  process.exit(code ?? 1);
});
