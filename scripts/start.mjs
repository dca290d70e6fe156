import { createWriteStream, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { localSecrets } from "./secrets.mjs";
import { makeWritable, readOptions, requireFreePort } from "./service/options.mjs";
import { keepPrivate } from "./service/private.mjs";
import { ensureInstalled } from "./setup/install.mjs";
import { CACHE, main, WEB } from "./setup/project.mjs";

/** The Worker with bindings that refuse what Cloudflare refuses. */
const HOSTED_ENTRY = "test/support/hosted/worker.ts";

/** Settings of the local service besides its secrets. */
const LOCAL_SETTINGS = {
  REGISTRATION: "open",
  FIRST_USER_IS_ADMIN: "true",
  WEBHOOK_LOOPBACK: "true",
  MAIL_DOMAIN: "in.localhost",
};

main(async () => {
  const { port, stateDir, demo, hostedLimits, databaseCount } = readOptions();
  makeWritable(CACHE, WEB, stateDir);
  await requireFreePort(port);
  await ensureInstalled();
  keepPrivate(stateDir);

  // These modules need packages, which are installed now.
  const { buildWeb } = await import("./setup/web.mjs");
  const { linkBrowser } = await import("./setup/browser.mjs");
  const { writeSchema } = await import("./api/generate.mjs");
  const { migrate } = await import("./service/migrate.mjs");
  const { serve } = await import("./service/serve.mjs");
  const { configOf, prepareDatabases } = await import("./service/several.mjs");

  const databases = prepareDatabases(stateDir, databaseCount);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort());
  stopWithNpm(stopping);
  const say = (line) => console.log(line);
  const [browser] = await Promise.all([linkBrowser(), buildWeb(say), migrate(stateDir, say), writeSchema()]);
  say(browser === null ? "Browser: none found. Set CHROME_PATH to a browser." : `Browser: ${browser}`);
  const logFile = join(stateDir, "service.log");
  // The log of the last run is kept.
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`);
  const log = createWriteStream(logFile, { mode: 0o600 });
  const writeLine = (line) => log.write(`${line}\n`);
  console.log(`Starting the service; it logs to ${logFile} …`);
  const secretsFile = localSecrets(stateDir);
  const service = await serve({
    port,
    stateDir,
    secretsFile,
    config: configOf(stateDir),
    vars: LOCAL_SETTINGS,
    ...(hostedLimits && { entry: HOSTED_ENTRY }),
    onLine: writeLine,
  });
  void service.ended.then(() => {
    if (stopping.signal.aborted) return;
    console.error(`The service ended unexpectedly. The last lines of ${logFile} say why.`);
    process.exit(1);
  });
  stopping.signal.addEventListener("abort", () => {
    console.log("\nStopping …");
    void service.stop().then(() => process.exit(0));
  });
  if (stopping.signal.aborted) return service.stop();

  console.log(`
Ready      open ${service.url} in a browser; the API reference is at ${service.url}/docs`);
  if (demo) await showDemo({ url: service.url, databases }, stateDir, secretsFile, writeLine, stopping.signal);
  console.log(`
Stop with Ctrl-C; the next start goes on with the same state.`);
});

/**
 * Stops with npm. A signal ends npm and its shell but does not reach this process. Then this process gets another
 * parent.
 */
function stopWithNpm(stopping) {
  if (process.env.npm_lifecycle_event !== "start") return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stopping.abort(), 500).unref();
}

/** Creates the demo and prints how to use it. If that fails, the service still runs. */
async function showDemo({ url, databases }, stateDir, secretsFile, log, stopping) {
  const { seedDemo } = await import("./seed/seed.mjs");
  const { runCameras, writePast } = await import("./seed/cameras.mjs");
  const { signInLink } = await import("./seed/sign-in-link.mjs");
  const say = (line) => console.log(line);
  const showWall = async ({ email, password, token, cameras, isNew }) => {
    const demo = { url, token, cameras, stateDir, secretsFile, log, say, stopping };
    const past = isNew ? await writePast(demo) : null;
    const link = await signInLink({ url, email, password, stopping });
    console.log(`
Cameras    ${link}
           This address signs you in as ${email}, once, within 10 minutes.
`);
    // Two programs that write to the local object store at once disturb each other.
    await past?.filled;
    void runCameras(demo);
  };
  try {
    const { email, password, token, search } = await seedDemo(url, stateDir, say, showWall, databases);
    console.log(`
Sign in    ${email} with the password ${password}
Token      ${token}
Try        curl -s ${url}/v1/search -H 'content-type: application/json' \\
             -H 'authorization: Bearer ${token}' \\
             -d '{"term": "${search}"}'`);
  } catch (thrown) {
    if (stopping.aborted) return;
    console.error(`\nThe demo could not be created: ${thrown.message}`);
    console.error(`Start with DEMO=0 for no demo, or with another STATE_DIR for a new one.`);
  }
}
