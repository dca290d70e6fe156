import { defineConfig } from "vitest/config";
import { wasmModules } from "./test/support/wasm-modules.ts";
import { ignoreExpectedErrors, inWorkers } from "./test/support/workers-project.ts";

/** Worlds of search: what a caller learns from it. They and all routes are tested over several databases, too. */
const SECRECY = "test/search/secrecy.test.ts";
const GUESTS = "test/resilience/search/guests.test.ts";

/** Memberships that claims bring, in organizations of any database. */
const CLAIMS = "test/access/claims.test.ts";

/** Kills at each statement, and races. They are tested over several databases, too. */
const CRASHES = ["test/resilience/**/*{deaths,races}.test.ts"];

/** Tests of random worlds. Here they take more worlds than in `npm test`, as `WORLD_FACTOR` says. */
const WORLDS = [
  "test/access/refresh-chain.test.ts",
  "test/permission/api.test.ts",
  "test/search/scripts.test.ts",
  SECRECY,
  "test/uploads/counting.test.ts",
];

/** Crashes, races, floods and hostile input against the parts of the service: the long tests of `npm test`'s subjects. */
export default defineConfig({
  test: {
    silent: "passed-only",
    onUnhandledError: ignoreExpectedErrors,
    maxWorkers: 3,
    projects: [
      inWorkers({
        name: "workers",
        include: ["test/resilience/**/*.test.ts", ...WORLDS],
        exclude: ["test/resilience/node/**"],
      }),
      inWorkers({ name: "two databases", include: [SECRECY, CLAIMS, ...CRASHES] }, 2),
      inWorkers({ name: "five databases", include: [SECRECY, GUESTS, CLAIMS, "test/routes/*.test.ts", ...CRASHES] }, 5),
      {
        plugins: [wasmModules.plugin],
        test: {
          name: "node",
          server: wasmModules.server,
          include: ["test/resilience/node/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
