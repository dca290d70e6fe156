import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { main, ROOT, WEB } from "./project.mjs";

/** Pages that need no build: the page of share links and the pages of accounts. */
const PLAIN_FILES = ["share", "pages"].flatMap((folder) =>
  readdirSync(join(ROOT, "web", folder)).map((file) => [`${folder}/${file}`, `web/${folder}/${file}`]),
);

/** Static files that the Worker serves, by their paths below .build/web. */
const FILES = {
  ...Object.fromEntries(PLAIN_FILES),
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

/**
 * Copies the static files to the folder of wrangler.toml. Unchanged files are not written: a running `wrangler dev`
 * watches them, and restarts its runtime with the loss of every connection when one is written.
 */
export function buildWeb() {
  for (const [to, from] of Object.entries(FILES)) {
    const [source, target] = [readFileSync(join(ROOT, from)), join(WEB, to)];
    if (contentOf(target)?.equals(source)) continue;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    writeFileSync(target, source);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(async () => buildWeb());
