import { join } from "node:path";
import { inLanguage } from "../in-language.mjs";
import { world } from "../world.mjs";

/**
 * Modules that are fetched together, by the name of their file. Many small files take several turns on a slow network,
 * because a browser asks one host for six files at a time.
 */
const TOGETHER = {
  frame:
    /node_modules\/@?preact|\/web\/(ui|texts\/[^/]+)\/[^/]+\.tsx?$|\/platform\/languages\/|\/web\/console\/src\/(platform\/(live\/)?|\w+\/(?=views\.))?[^/]+\.tsx?$|\/client\/src\/(?!retries\.)/,
  cameras: /\/web\/console\/src\/cameras\/(?!qr-code|views)|(?<!console)\/src\/cameras\//,
  archive: /\/web\/archive\/(?!film)/,
};

/** Links to what a phone needs to install the console. They lead to files beside the build, so the bundler must not follow them. */
const installable = (language) => ({
  name: "installable",
  transformIndexHtml: {
    order: "post",
    handler: () => [
      { tag: "link", attrs: { rel: "manifest", href: `/console/app/${language}.webmanifest` }, injectTo: "head" },
      { tag: "link", attrs: { rel: "apple-touch-icon", href: "/console/app/icon-192.png" }, injectTo: "head" },
    ],
  },
});

/**
 * The console's files in one language, as the Worker serves them under /console. Names carry a hash, so that browsers keep them.
 * @param {string} language
 * @returns {import("vite").InlineConfig}
 */
export const consoleIn = (language) => ({
  plugins: [inLanguage(language, "console"), installable(language), world()],
  root: import.meta.dirname,
  base: "/console/",
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  cacheDir: join(import.meta.dirname, "../../.build/vite-console"),
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    // light-dark() stays: replaced for older browsers, it would have the theme of the page inside .on-dark too.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsDir: "files",
    // The policy of the page allows no fonts or styles as data: addresses, and browsers cache pictures better as files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A slow machine would print advice about the build, which is not for people who start the service.
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // A feature's door only passes on: what takes one file from it loads no other.
      treeshake: { moduleSideEffects: [{ test: /\/web\/console\/src\/.*\/index\.ts$/, sideEffects: false }] },
      output: { codeSplitting: { groups: Object.entries(TOGETHER).map(([name, test]) => ({ name, test })) } },
    },
  },
});
