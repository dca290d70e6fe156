import { defineConfig } from "vitest/config";

/** Tests that ask other programs (poppler, qpdf, djpeg, …) whether they agree; they fail where one is missing. */
export default defineConfig({
  test: {
    name: "oracles",
    include: ["test/oracles/**/*.test.ts"],
    globalSetup: "test/system/support/prepare.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
