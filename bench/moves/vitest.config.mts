import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { testVars } from "../../test/support/workers-project.ts";

/** Runs in workerd with a real D1, as the tests do. */
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        bindings: { ...testVars, TEST_MIGRATIONS: await readD1Migrations("migrations") },
        d1Databases: { D1_DIRECTORY: "bench-directory", D1_FIRST: "bench-first", D1_SECOND: "bench-second" },
        r2Buckets: { BUCKET_SECOND: "bench-second" },
      },
    })),
  ],
  test: {
    include: ["bench/moves/moves.ts"],
    setupFiles: ["test/support/migrate.ts"],
    testTimeout: 7_200_000,
  },
});
