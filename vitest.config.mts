import { defineConfig } from "vitest/config";
import { ignoreExpectedErrors, inWorkers } from "./test/support/workers-project.ts";

/**
 * Fails a whole run if an index serves no statement. `scripts/ci/suite.mjs` names its own reporters, so it names this
 * reporter too.
 */
const INDEX_REPORT = "./test/support/index-report.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    reporters: ["default", INDEX_REPORT],
    onUnhandledError: ignoreExpectedErrors,
    // A file waits for its runtime more than it computes: three at a time fill two cores.
    maxWorkers: 3,
    projects: [
      inWorkers({
        name: "workers",
        include: ["test/**/*.test.ts"],
        exclude: ["test/{node,browser,system,oracles,gateway,resilience}/**"],
      }),
      {
        // Code that runs in Node, and the start of the service.
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
