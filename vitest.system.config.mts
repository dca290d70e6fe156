import { defineConfig } from "vitest/config";

/** The service as a process of its own: browsers, official clients, restarts, backups, and what a device would do. */
export default defineConfig({
  test: {
    name: "system",
    include: ["test/system/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
});
