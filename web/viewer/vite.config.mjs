import { join } from "node:path";
import console from "../console/vite.config.mjs";

/** The page of share links, as the Worker serves it at /s. */
export default {
  ...console,
  root: import.meta.dirname,
  base: "/s/",
  cacheDir: join(import.meta.dirname, "../../.build/vite-viewer"),
};
