import { defineConfig } from "vitest/config";

/** The gateway of cameras as a separate process, against the running service, under faults. */
export default defineConfig({
  test: {
    name: "gateway",
    include: ["test/gateway/**/*.test.ts"],
    globalSetup: "test/system/support/prepare.ts",
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
});
