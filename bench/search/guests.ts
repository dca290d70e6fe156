import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { table } from "../support/results.ts";
import { percentile } from "./metrics.ts";
import { addDocument, addGrant, addOrganization, addPerson, addPlace } from "./rows.ts";
import { BenchService, makeDatabase } from "./service.ts";

const PORT = 8851;
/** Grants of each guest, one for each location. The last number is the limit of a user. */
const GRANTS = [1, 300, 3_000, 5_000] as const;
const RUNS = 15;

const slice = z.object({ state: z.unknown() });

/** The largest ratio to one grant. */
const MAX_RATIO = 2;

/** The requests of a guest. A request without a body reads the first page of a list. Each search finds the same texts for every guest. */
const ASKED: readonly [name: string, path: string, body?: object][] = [
  ["search, one word of one document", "/v1/search", { term: "heliograph ", scope: { includeShared: true } }],
  ["search, two words of one document", "/v1/search", { term: "heliograph tower ", scope: { includeShared: true } }],
  ["search, a word that occurs nowhere", "/v1/search", { term: "zzyzx ", correct: false }],
  ["search, a word with two letters exchanged", "/v1/search", { term: "heliogrpah " }],
  ["suggestions, three letters", "/v1/search/suggestions", { term: "hel" }],
  ["suggestions, three letters after a word", "/v1/search/suggestions", { term: "tower hel" }],
  ["locations, first page", "/v1/spatial/locations?includeShared=true"],
  ["clusters, first page", "/v1/spatial/clusters?includeShared=true"],
  ["trash, first page", "/v1/trash"],
  ["notifications, first page", "/v1/notifications"],
  ["unread notifications", "/v1/notifications/unread-count"],
  ["the person", "/v1/auth/me"],
];

/**
 * The median time of requests of guests, by the number of their grants, and its ratio to one grant. `slow` names the requests with a
 * ratio that is too large.
 */
export async function measureGuests(): Promise<{ text: string; slow: string[] }> {
  const state = await mkdtemp(join(tmpdir(), "bench-guests-"));
  const db = new DatabaseSync(makeDatabase(state));
  const organizationId = addOrganization(db);
  const guests = GRANTS.map(() => addPerson(db));
  db.exec("BEGIN");
  for (let i = 0; i < Math.max(...GRANTS); i += 1) {
    const place = addPlace(db, organizationId);
    const text = i === 0 ? "The heliograph on the tower is dark." : `Bearing ${i} of the bridge is dry.`;
    addDocument(db, place, `Report ${i}`, [text]);
    for (const [g, { userId }] of guests.entries()) if (i < (GRANTS[g] ?? 0)) addGrant(db, userId, place);
  }
  db.exec("COMMIT");
  db.close();
  const service = await BenchService.start(state, PORT);
  try {
    for (const kind of ["assets", "documents", "guests"])
      for (let at: unknown = null; ; ) {
        at = slice.parse(await service.post("/bench/backfill", { kind, state: at })).state;
        if (at === null) break;
      }
    const rows: string[][] = [];
    const slow: string[] = [];
    for (const [name, path, body] of ASKED) {
      const medians: number[] = [];
      for (const { token } of guests) {
        const times: number[] = [];
        for (let run = 0; run < RUNS + 3; run += 1) {
          const begun = performance.now();
          if (body === undefined) await service.get(path, token);
          else await service.post(path, body, token);
          if (run >= 3) times.push(performance.now() - begun);
        }
        medians.push(percentile(times, 0.5));
      }
      const [one = 1] = medians;
      if (medians.some((ms) => ms > MAX_RATIO * one)) slow.push(name);
      rows.push([name, ...medians.map((ms) => `${ms.toFixed(1)} ms (${(ms / one).toFixed(1)})`)]);
      console.log(rows.at(-1)?.join(" | "));
    }
    const head = ["request", ...GRANTS.map((count) => (count === 1 ? "one grant" : `${count} grants`))];
    const text = `Median of ${RUNS} requests of a guest, and its ratio to a guest with one grant. Each search finds one document. A ratio may be ${MAX_RATIO} at most.\n\n${table(head, rows)}`;
    return { text, slow };
  } finally {
    await service.stop();
    rmSync(state, { recursive: true });
  }
}
