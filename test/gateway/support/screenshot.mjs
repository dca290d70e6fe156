import { launch } from "puppeteer-core";

/* Writes a JPEG of a page: node screenshot.mjs <browser> <address> <width> <height> <quality> */

const [executablePath, address, width, height, quality] = process.argv.slice(2);
const browser = await launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: Number(width), height: Number(height) });
  await page.goto(address);
  process.stdout.write(await page.screenshot({ type: "jpeg", quality: Number(quality) }));
} finally {
  await browser.close();
}
