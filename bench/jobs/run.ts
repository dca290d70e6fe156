import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { type Call, caller, uploadText } from "../requests/seed.ts";
import { machine, table, writeSection } from "../support/results.ts";

const PORT = 8863;
/** Documents of the large workspace. The small workspace has one document, which comes last. */
const UPLOADS = Number(process.env.UPLOADS ?? 2_200);
const AT_ONCE = 8;
const MAX_DELIVERIES_PER_SLICE = 1.2;
/** Longest wait of the small workspace, as a share of the time of all work in the same run. */
const MAX_SHARE_OF_WORK = 0.05;
/** Time without a slice after which all work is done. It is longer than the sweeper needs for lost jobs. */
const QUIET_MS = 45_000;
const GIVE_UP_MS = 30 * 60_000;

let [deliveries, slices, lastSliceAt] = [0, 0, performance.now()];
/** `wrangler dev` logs the settled messages of each batch; the service logs each useful slice. */
function count(line: string): void {
  deliveries += Number(/QUEUE \S+ \d+\/(\d+)/.exec(line)?.[1] ?? 0);
  // Recurring jobs never end and do not count.
  if (line.includes('"event":"job.slice"') && !/"kind":"(?:expire|watch|purge)-/.test(line)) {
    slices++;
    lastSliceAt = performance.now();
  }
}

const stateDir = mkdtempSync(join(tmpdir(), "bench-jobs-"));
await migrate(stateDir);
const service = await serve({
  port: PORT,
  stateDir,
  secretsFile: localSecrets(stateDir),
  vars: { REGISTRATION: "open" },
  onLine: count,
});
const call = caller(service.url);

/** A user with a location in a separate organization. */
async function newcomer(name: string): Promise<{ token: string; locationId: string }> {
  const person = { email: `${name}@people.test`, password: "correct horse battery", displayName: name };
  const session = String((await call("POST", "/v1/auth/register", undefined, person)).accessToken);
  const token = String((await call("POST", "/v1/auth/tokens", session, { name: "bench" })).token);
  const organizationId = String((await call("POST", "/v1/orgs", token, { name })).id);
  const clusterId = String((await call("POST", "/v1/spatial/clusters", token, { organizationId, name })).id);
  const locationId = String((await call("POST", "/v1/spatial/locations", token, { clusterId, name })).id);
  return { token, locationId };
}

const isFound = async (ask: Call, token: string, term: string): Promise<boolean> => {
  const { results } = await ask("POST", "/v1/search", token, { term, limit: 1 });
  return Array.isArray(results) && results.length > 0;
};

const [large, small] = [await newcomer("large"), await newcomer("small")];
const load = loadavg()[0]?.toFixed(1) ?? "?";
const begun = performance.now();
let next = 0;
const uploader = async () => {
  while (next < UPLOADS) await uploadText(call, large.token, large.locationId, next++);
};
await Promise.all(Array.from({ length: AT_ONCE }, uploader));
const uploaded = performance.now();
const waiting = slices;

await uploadText(call, small.token, small.locationId, 0, "A quokka crossed the viaduct.");
const completed = performance.now();
while (!(await isFound(call, small.token, '"quokka crossed"')) && performance.now() - completed < GIVE_UP_MS)
  await wait(50);
const searchableMs = performance.now() - completed;
while (performance.now() - lastSliceAt < QUIET_MS && performance.now() - begun < GIVE_UP_MS) await wait(500);
const done = lastSliceAt;
await service.stop();
rmSync(stateDir, { recursive: true });

const ratio = deliveries / slices;
const share = searchableMs / (done - begun);
const percent = (of: number): string => `${(of * 100).toFixed(1)} %`;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
writeSection(
  "Jobs",
  `${machine()}, load average ${load}. \`wrangler dev\`: ${UPLOADS} documents of one workspace, ${AT_ONCE} at once, then one of another. A delivery is a
message that a queue brought, a slice a piece of work that a job did. The request itself runs the first slice of each verification, without a delivery.

${table(
  ["what", "measured", "limit"],
  [
    ["uploads of the large workspace", `${UPLOADS} in ${seconds(uploaded - begun)}`, ""],
    ["slices done when the small one began, and in total", `${waiting} and ${slices}`, ""],
    ["deliveries", String(deliveries), ""],
    ["deliveries for each useful slice", ratio.toFixed(2), String(MAX_DELIVERIES_PER_SLICE)],
    [
      "the small workspace's document is found after",
      `${seconds(searchableMs)}, ${percent(share)} of all work`,
      percent(MAX_SHARE_OF_WORK),
    ],
    ["all work done after", seconds(done - begun), ""],
  ],
)}`,
);
console.log(`${deliveries} deliveries for ${slices} slices; the small workspace waited ${seconds(searchableMs)}`);
process.exit(ratio <= MAX_DELIVERIES_PER_SLICE && share <= MAX_SHARE_OF_WORK ? 0 : 1);
