import { defineConfig } from "vitest/config";
import { ignoreExpectedErrors, inWorkers } from "./test/support/workers-project.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    onUnhandledError: ignoreExpectedErrors,
    maxWorkers: 2,
    projects: [
      {
        // The service as a separate process: browsers, official clients, restarts, backups, and what a device would do.
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          globalSetup: "test/system/support/prepare.ts",
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      // Functions of the service that start a browser: printing and recognition.
      inWorkers({ name: "browser", include: ["test/browser/**/*.test.ts"] }),
    ],
  },
});
