import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Runs in workerd with a real D1, as the tests do. */
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("migrations") } },
    })),
  ],
  test: {
    include: ["bench/permission/worlds.ts"],
    setupFiles: ["test/support/migrate.ts"],
    testTimeout: 7_200_000,
  },
});
