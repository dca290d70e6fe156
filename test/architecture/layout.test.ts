import { expect, test } from "vitest";
import wrangler from "../../wrangler.toml?raw";
import {
  besideTheirFolder,
  bindingReads,
  CONSOLE,
  circles,
  directWrites,
  type Files,
  foreignImports,
  foreignParts,
  foreignWrites,
  IN_A_LANGUAGE,
  importDensity,
  oversized,
  RANK,
  tablesOf,
  unranked,
  upwardReads,
  vagueNames,
} from "./house";

const modules = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
/** The source files: path in src → text. */
const sources: Files = Object.fromEntries(
  Object.entries(modules).map(([path, text]) => [path.replace("../../src/", ""), text]),
);

/** The files of every other part of the repository: path → text. */
const others: Files = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>("../../{web,client,gateway,scripts,bench}/**/*.{ts,tsx,mjs}", {
      query: "?raw",
      import: "default",
      eager: true,
    }),
  ).map(([path, text]) => [path.replace("../../", ""), text]),
);

/** The files of the console: path in web/console/src → text. */
const ofConsole: Files = Object.fromEntries(
  Object.entries(others)
    .filter(([path]) => path.startsWith("web/console/src/"))
    .map(([path, text]) => [path.replace("web/console/src/", ""), text]),
);

/** Files that write outside `beginChange`, each with the reason. */
const DIRECT_WRITES: Readonly<Record<string, string>> = {
  "platform/db/change.ts": "commits the changes",
  "platform/http/idempotency.ts": "claims a key before the request's change, and keeps the answer after it",
  "platform/http/rate-limit.ts": "counts a request, whether it changes something or not",
  "platform/jobs/consume.ts": "gives a job back to the sweep when its message is dead",
  "platform/jobs/run.ts": "leases a job before its work, and keeps the lease during it",
  "platform/jobs/sweep.ts": "marks jobs as sent again, and sends them itself",
  "platform/jobs/expire-requests.ts": "deletes expired rows, and needs the number of each statement",
  "access/jobs.ts": "deletes expired credentials, and needs the number of each statement",
  "access/authentication/authenticate.ts": "records the use of a credential in the background, after the answer",
  "backups/nightly.ts": "its batches read the rows that it backs up, and its own row is in a change",
  "backups/import.ts": "imports a workspace whose rows arrive: nobody can change them",
  "backups/restore.ts": "restores workspaces whose rows arrive: nobody can change them",
  "backups/take.ts": "its batches only read",
  "reports/room/rooms.ts": "forgets who has left a room: a Durable Object does it, and no request waits for it",
};

const MAX_IMPORTS_PER_100_LINES = 6.1;

test("imports follow the map", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(40);
  expect(foreignImports(sources)).toEqual([]);
});

test("imports of the console follow its map", () => {
  expect(Object.keys(ofConsole).length).toBeGreaterThan(100);
  expect(foreignImports(ofConsole, CONSOLE)).toEqual([]);
  expect(unranked(ofConsole, CONSOLE)).toEqual([]);
});

test("no file is in a circle of imports", () => {
  expect(circles(sources)).toEqual([]);
  expect(Object.keys(others).length).toBeGreaterThan(300);
  expect(circles(others)).toEqual([]);
});

test("a feature knows the tables of lower ranks only", () => {
  expect(upwardReads(sources)).toEqual([]);
});

test("a table is declared in a tables.ts and written by its owner only", () => {
  expect(tablesOf(sources).length).toBeGreaterThan(40);
  expect(tablesOf(sources).filter(({ owner }) => RANK[owner] === undefined)).toEqual([]);
  expect(foreignWrites(sources)).toEqual([]);
});

test("a write outside beginChange has a reason", () => {
  expect(directWrites(sources).sort()).toEqual(Object.keys(DIRECT_WRITES).sort());
});

test("one resource, one folder: no file over 400 lines or 26 imports, and few imports over all", () => {
  expect(oversized(sources)).toEqual([]);
  expect(importDensity(sources)).toBeLessThan(MAX_IMPORTS_PER_100_LINES);
  // Each language adds its catalogues.
  expect(Object.keys(sources).filter((file) => !IN_A_LANGUAGE.test(file)).length).toBeLessThan(720);
});

test("files are product nouns and verbs, and a file is in the folder of its name", () => {
  expect([...besideTheirFolder(sources), ...besideTheirFolder(ofConsole)]).toEqual([]);
  expect(vagueNames(sources)).toEqual([]);
});

test("every folder of src has its rank", () => {
  expect(unranked(sources)).toEqual([]);
});

test("the parts of the repository import each other as the map says", () => {
  const inRepository = Object.fromEntries(Object.entries(sources).map(([path, text]) => [`src/${path}`, text]));
  expect(foreignParts({ ...inRepository, ...others })).toEqual([]);
});

/** Files that may touch a binding: the doors, and the page that hands static files out. Everything else has the Context. */
const NAMES_BINDINGS = [
  "compose.ts",
  "worker.ts",
  "platform/http/pages.ts",
  // The hub's doors: its route and its Durable Objects reach each other.
  "hub/routes.ts",
  "reports/room/routes.ts",
  "hub/live.ts",
  "hub/location/channel.ts",
  "hub/shard/shard.ts",
  // The door to the browsers.
  "platform/browsers/pool.ts",
];

test("env stops at the door, and wrangler.toml names every binding", () => {
  const used = bindingReads(sources);
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter(({ file }) => !NAMES_BINDINGS.includes(file))).toEqual([]);
  expect(used.filter(({ binding }) => !new RegExp(`"${binding}"|^${binding} =`, "m").test(wrangler))).toEqual([]);
});

test("bytes become characters of the same number by `latin1`, not by a decoder that is Windows-1252", () => {
  const decoders = /TextDecoder\(\s*["'`](?:latin-?1|iso-?8859-1|l1|ascii|us-ascii)/i;
  expect(decoders.test('new TextDecoder("latin1")')).toBe(true);
  expect(Object.keys(sources).filter((file) => decoders.test(sources[file] ?? ""))).toEqual([]);
});

test("no statement matches a pattern: D1 refuses one of 50 bytes, and SQLite folds ASCII alone", () => {
  const pattern = /\b(?:LIKE|GLOB|REGEXP)\s+[$?:'(]|\b(?:i?like|notI?[lL]ike)\b[^;]*"drizzle-orm"/;
  for (const text of ["name LIKE $", "name GLOB ?", 'import { like, sql } from "drizzle-orm"'])
    expect(pattern.test(text)).toBe(true);
  expect(Object.keys(sources).filter((file) => pattern.test(sources[file] ?? ""))).toEqual([]);
});
