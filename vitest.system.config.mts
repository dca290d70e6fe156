import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { ignoreExpectedErrors, inWorkers } from "./test/support/workers-project.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    onUnhandledError: ignoreExpectedErrors,
    // A file waits for its service and its browser more than it computes. With four at a time, two cores have no rest, and a slow
    // machine draws a page later than a test waits.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // The service as a separate process: browsers, official clients, restarts, backups, and what a device would do.
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          globalSetup: "test/system/support/prepare.ts",
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      // Functions of the service that start a browser: printing and recognition.
      inWorkers({ name: "browser", include: ["test/browser/**/*.test.ts"] }),
    ],
  },
});
