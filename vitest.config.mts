import { readdirSync, readFileSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { CHAT_URL } from "./test/support/chat-service.ts";
import { testIssuers } from "./test/support/issuer-service.ts";
import { outboundService } from "./test/support/outside.ts";

/** Settings of the tests: every secret here is for tests alone. */
const testVars = {
  PUBLIC_BASE_URL: "http://workspace.test",
  REGISTRATION: "open",
  OBJECT_STORE: "worker",
  OBJECT_SIGNING_SECRET: "object-signing-secret-for-tests-only",
  SESSION_SIGNING_KEY: JSON.stringify({
    kty: "OKP",
    crv: "Ed25519",
    d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  }),
  OIDC_ISSUERS: JSON.stringify(testIssuers),
  CHAT_CATALOG_URL: CHAT_URL,
  // A file of tests that recognizes text runs the jobs itself: each picture would start a browser.
  RECOGNITION_BROWSERS: "0",
};

/** Files whose tests need a database that nobody else wrote to: they count all of it, or fill it with worlds of their own. */
const ALONE = [
  "test/access/first-admin.test.ts",
  "test/access/statements.test.ts",
  "test/hub/silence.test.ts",
  "test/permission/api.test.ts",
  "test/permission/sets.test.ts",
  "test/platform/costs.test.ts",
  "test/platform/idempotency.test.ts",
  "test/platform/jobs/lanes.test.ts",
  "test/platform/jobs/sweep.test.ts",
  "test/search/administration.test.ts",
];

/** Packages of many files that become one each: every file of tests fetches all its modules, one by one. */
const BUNDLED =
  `@hono/zod-openapi ajv/dist/2020 ajv-formats aws4fetch chardet drizzle-orm drizzle-orm/d1 drizzle-orm/sqlite-core entities fast-check fflate
  hono hono/http-exception htmlparser2 jose jpeg-js lib0/decoding lib0/encoding marked marked-footnote mustache postal-mime saxes
  stemmer
  unpdf uuid y-protocols/awareness y-protocols/sync yjs zod`.split(/\s+/);

/** What pdf.js throws at a broken file. It reads pages ahead and drops the promises of those that nobody asks for. */
const PDF_EXCEPTIONS = new Set(["FormatError", "ParserEOFException", "XRefEntryException", "XRefParseException"]);

/** A runtime's own work, such as the sweeper's, may log a line while the runtime is taken down, which is told to nobody. */
const TEARDOWN = "EnvironmentTeardownError";

/** Files that real programs wrote, base64 by name: tests inside the Workers runtime have no file system. */
const readDocuments = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, "base64")]));

/** Fails a whole run if an index serves no statement. `scripts/ci/suite.mjs` names its own reporters, so it names this one too. */
const INDEX_REPORT = "./test/support/index-report.ts";

/** A project of tests inside the Workers runtime, with real D1, R2, Queues and Durable Objects. */
const inWorkers = (own: { name: string; isolate: boolean; include: string[]; exclude: string[] }) => ({
  // Bundled packages belong to a checkout, not to packages that several may share.
  cacheDir: ".build/vite",
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        outboundService,
        bindings: {
          ...testVars,
          TEST_MIGRATIONS: await readD1Migrations("migrations"),
          PROPERTY_SEED: Number(process.env.PROPERTY_SEED ?? 20_261_121),
          TEST_DOCUMENTS: readDocuments("test/fixtures/documents"),
          // More random worlds: `WORLD_FACTOR=20 PROPERTY_SEED=n npm test -- test/hub/silence.test.ts`. `.ci/run` takes 3.
          WORLD_FACTOR: Number(process.env.WORLD_FACTOR ?? 1),
        },
      },
    })),
  ],
  test: {
    ...own,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    setupFiles: ["migrate", "query-plans", "seam", "settle", "sweeper"].map((name) => `test/support/${name}.ts`),
    // A busy machine takes its time; `test/support/patience.ts` waits a little less.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  test: {
    silent: "passed-only",
    reporters: ["default", INDEX_REPORT],
    onUnhandledError: ({ name = "" }) => (PDF_EXCEPTIONS.has(name) || name === TEARDOWN ? false : undefined),
    // A file waits for its runtime more than it computes: three at a time fill two cores.
    maxWorkers: 3,
    projects: [
      // Every test brings organizations and people of its own, so that files can share a runtime, whose start is dear.
      inWorkers({
        name: "workers",
        isolate: false,
        include: ["test/**/*.test.ts"],
        exclude: ["test/{node,system,oracles,gateway}/**", ...ALONE],
      }),
      inWorkers({ name: "alone", isolate: true, include: ALONE, exclude: [] }),
      {
        // Code that runs in Node, and the start of the service.
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
