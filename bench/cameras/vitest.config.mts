import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Settings of the Worker. The secrets are for the benchmark only. */
const bindings = {
  PUBLIC_BASE_URL: "http://workspace.test",
  REGISTRATION: "open",
  OBJECT_STORE: "worker",
  OBJECT_SIGNING_SECRET: "object-signing-secret-for-benchmarks-only",
  SESSION_SIGNING_KEY: JSON.stringify({
    kty: "OKP",
    crv: "Ed25519",
    d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  }),
};

/** Runs in workerd with a real D1 and R2, as the tests do. */
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        bindings: {
          ...bindings,
          TEST_MIGRATIONS: await readD1Migrations("migrations"),
          BENCH_SEEDS: process.env.BENCH_SEEDS ?? "",
          BENCH_RUNS: process.env.BENCH_RUNS ?? "",
        },
      },
    })),
  ],
  test: {
    include: [`bench/cameras/${process.env.BENCH_CAMERAS ?? "drain"}.ts`],
    setupFiles: ["test/support/migrate.ts"],
    testTimeout: 7_200_000,
  },
});
