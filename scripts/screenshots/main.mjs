import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "puppeteer-core";
import { localSecrets } from "../secrets.mjs";
import { writePast } from "../seed/cameras.mjs";
import { openClient } from "../seed/client.mjs";
import { seedDemo } from "../seed/seed.mjs";
import { migrate } from "../service/migrate.mjs";
import { freePort } from "../service/options.mjs";
import { serve } from "../service/serve.mjs";
import { findBrowser, linkBrowser } from "../setup/browser.mjs";
import { main, Refusal } from "../setup/project.mjs";
import { buildWeb } from "../setup/web.mjs";
import { writeManyFrames } from "./many-frames.mjs";
import { stateViews } from "./states.mjs";
import { takeAll } from "./take.mjs";
import { textsIn } from "./texts.mjs";
import { demoViews, emptyOrganizationViews, emptyViews, entryViews, manyFramesViews } from "./views.mjs";

const TIMEOUT_MS = 60_000;
const PASSWORD = "correct horse battery";

/** Signs a person in, and gives the values that the console keeps in its tab. */
async function signIn(page, url, email, password) {
  await page.goto(`${url}/console/locations`);
  await page.waitForSelector("[name=email]");
  await page.type("[name=email]", email);
  await page.type("[name=password]", password);
  await page.click("form button.primary");
  await page.waitForSelector("[popovertarget=account]");
}

/** Starts a service with its own demo, takes a picture of every page, in a language if `--language` names one, and stops the service. */
main(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { language: { type: "string" } } });
  const [target, ...wanted] = positionals;
  if (target === undefined) throw new Refusal("Name a folder for the pictures: npm run screenshots -- ../pictures");
  const folder = resolve(target);
  await buildWeb();
  await linkBrowser();
  const executablePath = await findBrowser();
  if (executablePath === null) throw new Refusal("There is no browser. Set CHROME_PATH to one.");
  const stateDir = mkdtempSync(join(tmpdir(), "screenshots-"));
  await migrate(stateDir);
  const vars = { REGISTRATION: "open", FIRST_USER_IS_ADMIN: "true" };
  const service = await serve({ port: await freePort(), stateDir, secretsFile: localSecrets(stateDir), vars });
  const browser = await launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  const { url } = service;
  const openPage = async () => {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    if (values.language !== undefined) await page.setExtraHTTPHeaders({ "accept-language": values.language });
    return page;
  };
  /** Takes the wanted pictures of views in one tab. Without names of views, all are wanted. */
  const take = async (page, part, views) => {
    const taken = views.filter(
      ({ name }) => wanted.length === 0 || wanted.some((one) => `${part}/${name}`.includes(one)),
    );
    const to = join(folder, part);
    mkdirSync(to, { recursive: true });
    const count = await takeAll(page, url, taken, to);
    console.log(`${count} pictures in ${to}`);
  };
  try {
    const say = (line) => console.log(line);
    const stopping = new AbortController().signal;
    const secretsFile = localSecrets(stateDir);
    /** @type {import("../seed/cameras.mjs").SeededCamera[]} */
    const seeded = [];
    const demo = await seedDemo(url, stateDir, say, async ({ token, cameras }) => {
      seeded.push(...cameras);
      const past = await writePast({ url, token, cameras, stateDir, secretsFile, stopping });
      await past.filled;
    });
    const owner = openClient(url, demo.token);
    await take(await openPage(), "entry", await entryViews(owner));
    const page = await openPage();
    await signIn(page, url, demo.email, demo.password);
    await take(page, "demo", await demoViews(owner));
    await take(page, "states", await stateViews(owner, await textsIn(values.language ?? "en")));
    const [camera] = seeded;
    await writeManyFrames({ stateDir, secretsFile, camera });
    await take(page, "many-frames", await manyFramesViews(owner, camera));
    const newcomer = { email: "newcomer@northwick.example", password: PASSWORD, displayName: "New Comer" };
    const { accessToken } = await openClient(url).request("POST", "/v1/auth/register", newcomer);
    const empty = await openPage();
    await signIn(empty, url, newcomer.email, PASSWORD);
    await take(empty, "empty", emptyViews());
    await take(empty, "empty", await emptyOrganizationViews(openClient(url, accessToken), owner));
  } finally {
    await browser.close();
    await service.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
});
