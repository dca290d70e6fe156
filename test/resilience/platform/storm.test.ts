import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { isOutage } from "../../../src/platform/outages";
import { send } from "../../routes/answers";
import type { Built, RouteRow } from "../../routes/row";
import { rightToken } from "../../routes/suite";
import { allRows } from "../../routes/tables";
import { mintWorld, type World } from "../../routes/world";
import { failingDatabase, OUTAGES } from "../../support/failing-database";

let world: World;
beforeAll(async () => {
  world = await mintWorld();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

/** The request of a row by its right caller, over this database. */
function ask(row: RouteRow, built: Built, DB: D1Database) {
  const token = built.token ?? rightToken(row, world);
  return send(row, built, { bindings: { DB }, ...(token === undefined ? {} : { token }) });
}

/** A text of the list for this row and call, other ones with another PROPERTY_SEED. */
function messageOf(row: RouteRow, call: number): string {
  let hash = env.PROPERTY_SEED + call;
  for (const char of row.route) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return OUTAGES[hash % OUTAGES.length] ?? OUTAGES[0];
}

/** The pause before the second try of a read is none here: this file has thousands of them. */
const MAX_SHORT_PAUSE_MS = 200;
const { setTimeout: later } = globalThis;
vi.stubGlobal("setTimeout", (work: () => void, ms = 0) => later(work, ms <= MAX_SHORT_PAUSE_MS ? 0 : ms));

/** The answer to a repeat after the change was committed and its answer was lost: a caller repeats with an Idempotency-Key. */
const LOST_ANSWERS: Readonly<Record<string, string>> = {
  "POST /v1/auth/register": "already-exists",
  "PATCH /v1/cameras/:cameraId": "stale-revision",
  "POST /v1/cameras/:cameraId/relinks": "stale-revision",
  "POST /v1/documents/:documentId/restore": "conflict",
  "POST /v1/invitations/accept": "invitation-ended",
};

/** The status after a lost answer, where a repeat continues what the first request began. */
const continued = ({ route, status }: RouteRow): number => (route.endsWith("/upload-start") ? 200 : status);

/** Whether a read of the answer's body ended with the outage, because its first bytes were sent already. */
const isCut = (row: RouteRow, thrown: unknown): boolean => row.notJson === true && isOutage(thrown);

/*
 * The database does not answer at the first statement of a request and its second try, at the second statement, and so on. Each answer
 * is the usual one or 503 with Retry-After. The same request succeeds at last: an outage at any statement leaves nothing half done.
 */
describe("an outage of the database at any statement of a request", () => {
  test.each(allRows.map((row) => [row.route, row] as const))("%s", async (_, row) => {
    const built = await row.request(world);
    for (let at = 1; ; at++) {
      const broken = failingDatabase(messageOf(row, at), (_text, call) => call === at || call === at + 1);
      const answer = await ask(row, built, broken.DB).catch((thrown: unknown) => {
        if (isCut(row, thrown)) return null;
        throw thrown;
      });
      if (answer === null) continue;
      const { status, headers, text } = answer;
      if (status !== 503) {
        const lost = LOST_ANSWERS[row.route];
        const isAfterLoss = at > 1 && ((lost !== undefined && text.includes(lost)) || status === continued(row));
        if (!isAfterLoss) expect([status, text]).toEqual([row.status, text]);
        break;
      }
      expect(headers.get("retry-after"), `statement ${at}`).toMatch(/^[1-9]\d*$/);
      expect(text).toMatch(/"unavailable"|ServiceUnavailable/);
      expect(broken.failures()).toBeGreaterThan(0);
    }
  });
});
