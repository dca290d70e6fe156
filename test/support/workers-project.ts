import { readdirSync, readFileSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { CHAT_URL } from "./chat-service.ts";
import { testIssuers } from "./issuer-service.ts";
import { outboundService } from "./outside.ts";
import { RESOLVER_URL } from "./webhook-receiver.ts";

/** Settings of the tests: every secret here is for tests alone. */
export const testVars = {
  PUBLIC_BASE_URL: "http://workspace.test",
  REGISTRATION: "open",
  MAIL_DOMAIN: "in.workspace.test",
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
  WEBHOOK_RESOLVER_URL: RESOLVER_URL,
  // A file of tests that recognizes text runs the jobs itself: each picture would start a browser.
  RECOGNITION_BROWSERS: "0",
};

/** Packages of many files that become one each: every file of tests fetches all its modules, one by one. */
const BUNDLED =
  `@hono/zod-openapi ajv/dist/2020 ajv-formats aws4fetch drizzle-orm drizzle-orm/d1 drizzle-orm/sqlite-core entities fast-check fflate
  hono hono/http-exception htmlparser2 jose jpeg-js lib0/decoding lib0/encoding marked marked-footnote mustache postal-mime saxes
  stemmer
  unpdf uuid y-protocols/awareness y-protocols/sync yjs zod`.split(/\s+/);

/**
 * Multiplies the number of random worlds: `WORLD_FACTOR=20 PROPERTY_SEED=n npm test -- test/permission/sets.test.ts`. `.ci/run`
 * takes 5 in the resilience suite.
 */
const WORLD_FACTOR = Number(process.env.WORLD_FACTOR ?? 1);

/** A busy machine takes its time; `test/support/patience.ts` waits a little less. More worlds take longer. */
const TIMEOUT_MS = 60_000 * Math.max(1, WORLD_FACTOR);

/** What pdf.js throws at a broken file. It reads pages ahead and drops the promises of pages that nobody asks for. */
const PDF_EXCEPTIONS = new Set(["FormatError", "ParserEOFException", "XRefEntryException", "XRefParseException"]);

/** A runtime's own work, such as the sweeper's, may log a line while the runtime is taken down, which is told to nobody. */
const TEARDOWN = "EnvironmentTeardownError";

/** Vitest's `onUnhandledError`: an error that fails no run. */
export const ignoreExpectedErrors = ({ name = "" }: { name?: string }): false | undefined =>
  PDF_EXCEPTIONS.has(name) || name === TEARDOWN ? false : undefined;

/** Databases that tests can have beside the one of `wrangler.toml`. */
const WORKSPACE_DATABASES = ["first", "second", "third", "fourth", "fifth"];
const bindingOf = (name: string): string => `D1_${name.toUpperCase()}`;
/** The setting of a service with this many workspace databases. */
const settingOf = (count: number): string =>
  JSON.stringify(WORKSPACE_DATABASES.slice(0, count).map((name) => ({ name, binding: bindingOf(name) })));

/** The databases of tests, and the settings of a service with this many workspace databases (`spread.ts`). */
export const databasesOf = (count: number) => ({
  d1Databases: {
    ...Object.fromEntries(["directory", ...WORKSPACE_DATABASES].map((name) => [bindingOf(name), `test-${name}`])),
    ...(count > 1 && { DIRECTORY: "test-directory" }),
  },
  bindings: { DATABASE_COUNT: count, ...(count > 1 && { DATABASES: settingOf(count) }) },
});

/** Files that real programs wrote, base64 by name: tests inside the Workers runtime have no file system. */
const readDocuments = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, "base64")]));

/**
 * A project of tests inside the Workers runtime, with real D1, R2, Queues and Durable Objects. Every test makes its own
 * organizations and people, so that files can share a runtime: its start costs seconds.
 * @param databases number of workspace databases of the service; with several, it has a directory of its own (`spread.ts`)
 */
export const inWorkers = (own: { name: string; include: string[]; exclude?: string[] }, databases = 1) => ({
  // Bundled packages belong to a checkout, not to packages that several may share.
  cacheDir: ".build/vite",
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        outboundService,
        // The service does not know these: `test/support/databases.ts` gives them to the service of a test.
        d1Databases: databasesOf(databases).d1Databases,
        // These too; the second one is for tests of backups.
        r2Buckets: { BUCKET_SECOND: "test-second", TEST_BACKUPS: "test-backups" },
        analyticsEngineDatasets: { TEST_METRICS: { dataset: "test" } },
        bindings: {
          ...testVars,
          TEST_MIGRATIONS: await readD1Migrations("migrations"),
          PROPERTY_SEED: Number(process.env.PROPERTY_SEED ?? 20_261_121),
          TEST_DOCUMENTS: readDocuments("test/fixtures/documents"),
          // Several databases multiply the work of a world already.
          WORLD_FACTOR: databases === 1 ? WORLD_FACTOR : 1,
          ...databasesOf(databases).bindings,
        },
      },
    })),
  ],
  test: {
    ...own,
    isolate: false,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    setupFiles: [
      "cheap-passwords",
      "spread",
      "hosted/always",
      "kept-logs",
      "migrate",
      "query-plans",
      "seam",
      "settle",
      "sweeper",
    ].map((name) => `test/support/${name}.ts`),
    testTimeout: TIMEOUT_MS * (databases === 1 ? 1 : 3),
    hookTimeout: TIMEOUT_MS * (databases === 1 ? 1 : 3),
  },
});
