import { join } from "node:path";
import { consoleIn } from "../console/vite.config.mjs";
import { inLanguage } from "../in-language.mjs";

/**
 * The page of share links in one language, as the Worker serves it at /s.
 * @param {string} language
 * @returns {import("vite").InlineConfig}
 */
export const viewerIn = (language) => ({
  ...consoleIn(language),
  plugins: [inLanguage(language, "share")],
  root: import.meta.dirname,
  base: "/s/",
  cacheDir: join(import.meta.dirname, "../../.build/vite-viewer"),
});
