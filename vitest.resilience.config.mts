import { defineConfig } from "vitest/config";
import { ignoreExpectedErrors, inWorkers } from "./test/support/workers-project.ts";

/** Crashes, races, floods and hostile input against the parts of the service: the long tests of `npm test`'s subjects. */
export default defineConfig({
  test: {
    silent: "passed-only",
    onUnhandledError: ignoreExpectedErrors,
    maxWorkers: 3,
    projects: [
      inWorkers({
        name: "workers",
        include: ["test/resilience/**/*.test.ts"],
        exclude: ["test/resilience/node/**"],
      }),
      {
        test: {
          name: "node",
          include: ["test/resilience/node/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
