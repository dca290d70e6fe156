import { BOUNDS_WORK, type LimitTable } from "../row.ts";

export const browsersLimits: LimitTable<typeof import("../../../src/platform/browsers/limits")> = {
  MAX_DEAD_BROWSERS: { held: "effects" },
  CONNECT_TIMEOUT_MS: BOUNDS_WORK,
  CLOSE_TIMEOUT_MS: BOUNDS_WORK,
  MAX_BROWSER_USES: { unheld: "It limits leaks of memory in a browser and changes no result." },
  MAX_BROWSER_IDLE_MS: { held: "lifetimes" },
  BROWSER_KEEP_ALIVE_MS: { unheld: "MAX_BROWSER_IDLE_MS applies first." },
  BROWSER_LEASE_MS: { held: "lifetimes" },
  MAX_BROWSER_WAIT_MS: { unheld: "A job that stops waiting tries again later." },
  LAUNCH_RETRY_DELAY_MS: { unheld: "A job that stops waiting tries again later." },
};
