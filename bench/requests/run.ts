import { scryptSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { configOf, prepareDatabases } from "../../scripts/service/several.mjs";
import { machine, table, writeSection } from "../support/results.ts";
import { type Cost, measure } from "./measure.ts";
import { type Call, caller, type Demo, seedBusyPerson, seedDemo, timesToSearchable } from "./seed.ts";

/** `DATABASE_COUNT=3` measures a service with a directory and three workspace databases. Its person has organizations in each of them. */
const DATABASES = Number(process.env.DATABASE_COUNT ?? 1);
const [PORT, FLOOR_PORT] = [8861, 8862];
const REQUESTS = 200;
const SIGN_INS = 8;
/** Floors that a further database may add to the CPU of a request: a caller with something in each of them makes it read them all. */
const FLOORS_PER_DATABASE = 0.75;
const UPLOADS = 20;
/** Time from `upload-complete` to the first search that finds the text, on an idle service, as a multiple of the time of a search. */
const MAX_SEARCHABLE_TIMES = 90;
/** The floor of a sign-in: the hash of a password alone, with the parameters of `src/access/accounts/password.ts`. */
const [HASH, HASHES] = [{ N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 ** 2 }, SIGN_INS];

interface Row {
  what: string;
  cost: Cost;
  /** Limit of the CPU time of a request, as a multiple of a floor of the same run. */
  limit: number;
  floor: Pick<Cost, "cpuMs"> & Partial<Cost>;
}

const limitOf = (limit: number): number => limit + FLOORS_PER_DATABASE * (DATABASES - 1);

/** The load of the last minute before the measurement. Other work on the machine increases CPU times. */
const load = loadavg()[0]?.toFixed(1) ?? "?";
const stateDir = mkdtempSync(join(tmpdir(), "bench-requests-"));
prepareDatabases(stateDir, DATABASES);
await migrate(stateDir);
const start = () =>
  serve({
    port: PORT,
    stateDir,
    config: configOf(stateDir),
    secretsFile: localSecrets(stateDir),
    vars: { REGISTRATION: "open" },
  });

/** A GET whose answer is read to its end. */
const drain = async (url: string, token?: string): Promise<void> => {
  const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
};

/** The CPU of the hash of a password alone, in this process, milliseconds. */
function hashCost(): Pick<Cost, "cpuMs"> {
  const before = process.cpuUsage();
  for (let n = 0; n < HASHES; n++) scryptSync("a password", `salt ${n}`, 32, HASH);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000 / HASHES };
}

async function measureService(url: string, call: Call, demo: Demo, locationId: string) {
  const { token, email, password } = demo;
  return {
    list: await measure(() => call("GET", "/v1/spatial/locations?limit=20", token), REQUESTS),
    read: await measure(() => call("GET", `/v1/spatial/locations/${locationId}`, token), REQUESTS),
    search: await measure(() => call("POST", "/v1/search", token, { term: "bearing replaced" }), REQUESTS),
    permission: await measure(() => drain(`${url}/v1/no-such-route`, token), REQUESTS),
    signIn: await measure(() => call("POST", "/v1/auth/login", undefined, { email, password }), SIGN_INS),
  };
}

const first = await start();
const demo = await seedDemo(caller(first.url), DATABASES);
await first.stop();

const floorService = await serve({
  port: FLOOR_PORT,
  stateDir,
  secretsFile: localSecrets(stateDir),
  config: "bench/requests/wrangler.toml",
});
const locationsOf = async (tenant: string): Promise<{ id: string }[]> =>
  (await fetch(`${floorService.url}/locations?tenant=${tenant}`)).json();
/** The organization in the database of the floor, and one of its locations. */
const [tenant, [location]] = (
  await Promise.all(demo.organizationIds.map(async (id) => [id, await locationsOf(id)] as const))
).find(([, found]) => found.length > 0) as [string, [{ id: string }]];
const at = (path: string) => () => drain(`${floorService.url}${path}`);
const floor = {
  list: await measure(at(`/locations?tenant=${tenant}`), REQUESTS),
  read: await measure(at(`/locations/${location.id}`), REQUESTS),
  search: await measure(at(`/search?tenant=${tenant}&term=bearing`), REQUESTS),
};
await floorService.stop();

const again = await start();
const usual = await measureService(again.url, caller(again.url), demo, location.id);
const searchable = await timesToSearchable(caller(again.url), demo, location.id, UPLOADS);
searchable.sort((a, b) => a - b);
await again.stop();

seedBusyPerson(stateDir, demo);
const second = await start();
const busy = await measureService(second.url, caller(second.url), demo, location.id);
await second.stop();
rmSync(stateDir, { recursive: true });

const rows: Row[] = [
  { what: "list 20 locations", cost: usual.list, limit: limitOf(3.3), floor: floor.list },
  { what: "read a location", cost: usual.read, limit: limitOf(3.7), floor: floor.read },
  { what: "search two words (floor: LIKE)", cost: usual.search, limit: limitOf(5.5), floor: floor.search },
  { what: "sign in (floor: the hash alone)", cost: usual.signIn, limit: 1.6, floor: hashCost() },
  {
    what: "authenticate and load permissions (floor: read)",
    cost: usual.permission,
    limit: limitOf(2.5),
    floor: floor.read,
  },
  {
    what: "the same, 50 organizations and 2,000 grants",
    cost: busy.permission,
    limit: limitOf(2.5),
    floor: floor.read,
  },
  {
    what: "list 20 locations, 50 organizations and 2,000 grants",
    cost: busy.list,
    limit: limitOf(3.3),
    floor: floor.list,
  },
];

const searchableWithin = MAX_SEARCHABLE_TIMES * usual.search.wallMs;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
writeSection(
  DATABASES === 1 ? "Requests" : `Requests with ${DATABASES} databases`,
  `${machine()}, load average ${load}. \`wrangler dev\` with the demo-size data of bench/requests/seed.ts; user and system time of its workerd
processes, wrangler's own proxy included, a request: median over readings of 20 requests one after the other. The floor is a
minimal Hono and D1 endpoint without permission, validation, limits or logs. wrangler's local traces are off, for both. A busy caller takes three statements
(test/permission/cost.test.ts).

${table(
  ["request", "CPU p50", "limit", "time p50", "peak memory", "floor CPU p50", "ratio", "floor peak memory"],
  rows.map(({ what, cost, limit, floor: below }) => [
    what,
    ms(cost.cpuMs),
    `${limit} ×`,
    ms(cost.wallMs),
    `${cost.peakMb.toFixed(0)} MB`,
    ms(below.cpuMs),
    `${(cost.cpuMs / below.cpuMs).toFixed(1)} ×`,
    below.peakMb === undefined ? "" : `${below.peakMb.toFixed(0)} MB`,
  ]),
)}

From \`upload-complete\` to the first search that finds the text, ${UPLOADS} uploads to the idle service one after the other: median
${ms(searchable[UPLOADS >> 1] ?? 0)}, longest ${ms(searchable.at(-1) ?? 0)} (limit: ${MAX_SEARCHABLE_TIMES} searches, ${ms(searchableWithin)}).`,
);
const over = rows.filter(({ cost, limit, floor: below }) => cost.cpuMs > limit * below.cpuMs);
for (const { what, cost, limit, floor: below } of over)
  console.error(`${what}: ${ms(cost.cpuMs)} of CPU, over ${limit} × ${ms(below.cpuMs)}`);
const isLate = (searchable.at(-1) ?? 0) > searchableWithin;
if (isLate) console.error(`a document was found after ${ms(searchable.at(-1) ?? 0)} only`);
process.exit(over.length === 0 && !isLate ? 0 : 1);
