import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { databasesOf } from "../../test/support/workers-project.ts";

/** `DATABASE_COUNT=3` measures a service with a directory and three workspace databases. */
const databases = databasesOf(Number(process.env.DATABASE_COUNT ?? 1));

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

/** Runs in workerd with a real D1, R2, queues and Durable Objects, as the tests do. */
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        d1Databases: databases.d1Databases,
        bindings: { ...bindings, ...databases.bindings, TEST_MIGRATIONS: await readD1Migrations("migrations") },
      },
    })),
  ],
  test: {
    include: ["bench/cost/units.ts"],
    setupFiles: ["spread", "migrate", "sweeper"].map((name) => `test/support/${name}.ts`),
    silent: "passed-only",
    testTimeout: 3_600_000,
  },
});
