import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
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
import { demoViews, EMPTY_VIEWS, ENTRY_VIEWS, manyFramesViews } from "./views.mjs";

const WIDTHS = [1440, 360, 320];
const HEIGHT = 900;
const THEMES = ["light", "dark"];
/**
 * A page is complete after this time without a request. A page that never stops its requests is captured after the
 * longer time.
 */
const IDLE_MS = 500;
const MAX_LOADING_MS = 5_000;
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

/** The parts of names from the command line: only views whose names contain one of them are taken. */
const wanted = process.argv.slice(3);
const isWanted = ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part));

/** Takes the pictures of all wanted views in one tab. */
async function takeAll(page, url, views, folder) {
  mkdirSync(folder, { recursive: true });
  const taken = views.filter(isWanted);
  for (const { name, path } of taken)
    for (const theme of THEMES)
      for (const width of WIDTHS) {
        await page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: theme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        await page.setViewport({ width, height: HEIGHT });
        await page.goto(`${url}${path}`);
        await page.waitForSelector("main");
        await page
          .waitForNetworkIdle({ idleTime: IDLE_MS, concurrency: 1, timeout: MAX_LOADING_MS })
          .catch(() => undefined);
        await page.waitForSelector(".waiting", { hidden: true, timeout: MAX_LOADING_MS }).catch(() => undefined);
        await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
      }
  console.log(`${taken.length * THEMES.length * WIDTHS.length} pictures in ${folder}`);
}

/** Starts a service with a demo of its own, takes a picture of every page, and stops the service. */
main(async () => {
  const target = process.argv[2];
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
  const openPage = async () => {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    return page;
  };
  try {
    const { url } = service;
    await takeAll(await openPage(), url, ENTRY_VIEWS, join(folder, "entry"));
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
    const page = await openPage();
    await signIn(page, url, demo.email, demo.password);
    const owner = openClient(url, demo.token);
    await takeAll(page, url, await demoViews(owner), join(folder, "demo"));
    const [camera] = seeded;
    await writeManyFrames({ stateDir, secretsFile, camera });
    await takeAll(page, url, await manyFramesViews(owner, camera), join(folder, "many-frames"));
    const newcomer = { email: "newcomer@northwick.example", password: PASSWORD, displayName: "New Comer" };
    await openClient(url).request("POST", "/v1/auth/register", newcomer);
    const empty = await openPage();
    await signIn(empty, url, newcomer.email, PASSWORD);
    await takeAll(empty, url, EMPTY_VIEWS, join(folder, "empty"));
  } finally {
    await browser.close();
    await service.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
});
