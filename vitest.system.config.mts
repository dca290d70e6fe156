import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { ignoreExpectedErrors, inWorkers } from "./test/support/workers-project.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    onUnhandledError: ignoreExpectedErrors,
    // A file waits for its service and its browser more than it computes: with three at a time, two cores rest for a third of the time.
    maxWorkers: 4,
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
