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

/** Files that real programs wrote, base64 by name: tests inside the Workers runtime have no file system. */
const readDocuments = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, "base64")]));

/**
 * A project of tests inside the Workers runtime, with real D1, R2, Queues and Durable Objects. Every test makes its own
 * organizations and people, so that files can share a runtime: its start costs seconds.
 */
export const inWorkers = (own: { name: string; include: string[]; exclude?: string[] }) => ({
  // Bundled packages belong to a checkout, not to packages that several may share.
  cacheDir: ".build/vite",
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        outboundService,
        // The service does not know these: `test/support/databases.ts` gives them to the service of a test.
        d1Databases: Object.fromEntries(
          ["directory", "first", "second", "third", "fourth", "fifth"].map((name) => [
            `D1_${name.toUpperCase()}`,
            `test-${name}`,
          ]),
        ),
        // These too; the second one is for tests of backups.
        r2Buckets: { BUCKET_SECOND: "test-second", TEST_BACKUPS: "test-backups" },
        bindings: {
          ...testVars,
          TEST_MIGRATIONS: await readD1Migrations("migrations"),
          PROPERTY_SEED: Number(process.env.PROPERTY_SEED ?? 20_261_121),
          TEST_DOCUMENTS: readDocuments("test/fixtures/documents"),
          WORLD_FACTOR,
        },
      },
    })),
  ],
  test: {
    ...own,
    isolate: false,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    setupFiles: ["cheap-passwords", "hosted/always", "migrate", "query-plans", "seam", "settle", "sweeper"].map(
      (name) => `test/support/${name}.ts`,
    ),
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
