import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { launch } from "puppeteer-core";
import { findBrowser } from "../../../setup/browser.mjs";

/*
 * Draws pictures of the harbour in a browser without a window: node draw.mjs <folder with three> <shots.json> <to
 * folder>. three (0.170) is no package of this project: install it in a separate folder.
 */

const [threeFolder, shotsFile, target] = process.argv.slice(2).map((path) => resolve(path));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };
const READY_TIMEOUT_MS = 60_000;

const answer = async (request, response) => {
  const { pathname } = new URL(request.url, "http://127.0.0.1");
  const root = pathname.startsWith("/node_modules/") ? threeFolder : import.meta.dirname;
  try {
    const bytes = await readFile(join(root, decodeURI(pathname)));
    response.setHeader("content-type", TYPES[extname(pathname)] ?? "application/octet-stream");
    response.end(bytes);
  } catch {
    response.statusCode = 404;
    response.end();
  }
};
const server = createServer((request, response) => void answer(request, response));
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const bytesOf = (dataUrl) => Buffer.from(dataUrl.split(",")[1], "base64");
// The browser draws with its own software, so that every computer makes the same pictures.
const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await launch({ executablePath: await findBrowser(), headless: true, args });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
await page.waitForFunction("window.ready", { timeout: READY_TIMEOUT_MS });
await mkdir(join(target, "tiny"), { recursive: true });
for (const shot of JSON.parse(await readFile(shotsFile, "utf8"))) {
  const [picture, preview] = await page.evaluate((given) => window.shot(given), shot);
  await writeFile(join(target, `${shot.name}.jpg`), bytesOf(picture));
  await writeFile(join(target, "tiny", `${shot.name}.jpg`), bytesOf(preview));
  console.log(shot.name);
}
await browser.close();
server.close();
