import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import consoleConfig from "../../web/console/vite.config.mjs";
import { main, ROOT, WEB } from "./project.mjs";

/** The page of share links needs no build. */
const PLAIN_FILES = readdirSync(join(ROOT, "web/share")).map((file) => [`share/${file}`, `web/share/${file}`]);

/** Static files that the Worker serves, by their paths below .build/web. */
const FILES = {
  ...Object.fromEntries(PLAIN_FILES),
  "pages/report-preview.html": "web/pages/report-preview.html",
  "docs/swagger-ui.css": "node_modules/swagger-ui-dist/swagger-ui.css",
  "docs/swagger-ui.js": "node_modules/swagger-ui-dist/swagger-ui-bundle.js",
  "docs/page.html": "web/docs/page.html",
  "docs/page.css": "web/docs/page.css",
  "docs/page.js": "web/docs/page.js",
};

/** The content of a file; null if it does not exist. */
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** The console's files as Vite bundles them, by their place under .build/web. */
async function bundleConsole() {
  const { output } = await build({ ...consoleConfig, build: { ...consoleConfig.build, write: false } });
  return Object.fromEntries(
    output.map((file) => [`console/${file.fileName}`, Buffer.from(file.type === "chunk" ? file.code : file.source)]),
  );
}

/**
 * Copies the static files to the folder of wrangler.toml. Unchanged files are not written: a running `wrangler dev`
 * watches them, and restarts its runtime with the loss of every connection when one is written.
 */
export async function buildWeb() {
  const plain = Object.entries(FILES).map(([to, from]) => [to, readFileSync(join(ROOT, from))]);
  const bundled = await bundleConsole();
  for (const [to, source] of [...plain, ...Object.entries(bundled)]) {
    const target = join(WEB, to);
    if (contentOf(target)?.equals(source)) continue;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    writeFileSync(target, source);
  }
  removeOthers(join(WEB, "console/files"), bundled);
}

/** Removes files of the console that an earlier build made. */
function removeOthers(folder, bundled) {
  for (const file of readdirSync(folder))
    if (bundled[`console/files/${file}`] === undefined) rmSync(join(folder, file));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(buildWeb);
