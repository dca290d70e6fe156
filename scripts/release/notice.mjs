import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { main, ROOT } from "../setup/project.mjs";

/** Folders whose imports become part of the Worker, the pages, the client or the gateway. */
const SOURCES = ["src", "web", "client/src", "gateway/src"];
/** The scripts that copy files of packages beside the pages. They name them in paths, and compose some names. */
const COPYING = "scripts/setup";
/** Packages that these scripts use and do not copy. */
const TOOLS = ["@sparticuz/chromium", "esbuild", "miniflare", "node", "puppeteer-core", "vite", "vitest", "wrangler"];
/** Scopes whose packages are all copied. */
const COPIED = ["@fontsource/", "@fontsource-variable/", "@tesseract.js-data/"];
const FILE = join(ROOT, "NOTICE.md");

const textsOf = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => /\.(?:tsx?|m?js|css|html)$/.test(name))
    .map((name) => readFileSync(join(ROOT, folder, name), "utf8"));

const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The direct dependencies that a source imports or a script copies. */
function namedPackages(dependencies) {
  const [sources, scripts] = [SOURCES.flatMap(textsOf).join("\n"), textsOf(COPYING).join("\n")];
  return dependencies.filter((name) => {
    if (TOOLS.includes(name)) return false;
    if (COPIED.some((scope) => name.startsWith(scope))) return true;
    const imported = new RegExp(`(?:from|import|resolve)\\s*\\(?\\s*["']${escaped(name)}["'/]`);
    return imported.test(sources) || new RegExp(`["'/\`]${escaped(name)}["'/\`]`).test(scripts);
  });
}

/** The place of a dependency in the lock file, as Node finds it from the place of its user. */
function placeOf(packages, name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const place = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (at === "") return null;
  }
}

/**
 * The text of NOTICE.md: the packages that the service, its pages, the client and the gateway contain, and the packages that these
 * need, from the lock file.
 * @param {object} [lock] the content of a package-lock.json
 */
export function noticeOf(lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"))) {
  const { packages } = lock;
  const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = packages[""];
  const found = new Map();
  const add = (name, from) => {
    const place = placeOf(packages, name, from);
    if (place === null || found.has(place)) return;
    found.set(place, { name, ...packages[place] });
    for (const next of Object.keys(packages[place].dependencies ?? {})) add(next, place);
  };
  const direct = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  for (const name of namedPackages(direct)) add(name, "");
  const rows = [...found.values()]
    .filter(({ link }) => link !== true)
    .map(
      ({ name, version, license }) =>
        `| [${name}](https://www.npmjs.com/package/${name}) | ${version} | ${license ?? "see the package"} |`,
    );
  const sorted = [...new Set(rows)].sort();
  return `# Notice

The service, its pages, the client and the camera gateway contain these npm packages, or packages that these need. The text of each licence is in the folder of
its package, after \`npm ci\`. [Material of others](docs/reference/third-party.md) lists what is not program code.

\`npm run notice\` writes this page from \`package-lock.json\`. A test compares them.

| Package | Version | Licence |
|---|---|---|
${sorted.join("\n")}
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(async () => writeFileSync(FILE, noticeOf()));
