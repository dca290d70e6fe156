import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { isOutage } from "../../../src/platform/outages";
import { type Answer, send } from "../../routes/answers";
import type { Built, RouteRow } from "../../routes/row";
import { rightToken } from "../../routes/suite";
import { allRows } from "../../routes/tables";
import { mintWorld, type World } from "../../routes/world";
import { failingDatabase, OUTAGES, stormyBindings } from "../../support/hosted/outages";

let world: World;
beforeAll(async () => {
  world = await mintWorld();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

/** The request of a row by its right caller, over this database. */
function ask(row: RouteRow, built: Built, bindings: Record<string, unknown>) {
  const token = built.token ?? rightToken(row, world);
  return send(row, built, { bindings, ...(token === undefined ? {} : { token }) });
}

/** A number for this row and call. Another PROPERTY_SEED gives other numbers. */
function seedOf(row: RouteRow, call: number): number {
  let hash = env.PROPERTY_SEED + call;
  for (const char of row.route) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return hash;
}

/** A text of the list for this row and call. */
const messageOf = (row: RouteRow, call: number): string => OUTAGES[seedOf(row, call) % OUTAGES.length] ?? OUTAGES[0];

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
  "POST /v1/reports/:reportId/restore": "conflict",
  "POST /v1/spatial/locations/:locationId/folders": "already-exists",
  "POST /v1/spatial/locations/:locationId/mail-address": "already-exists",
  "POST /v1/spatial/locations/:locationId/folders/changes": "conflict",
  "POST /v1/invitations/accept": "invitation-ended",
};

/** The status after a lost answer, where a repeat continues what the first request began. */
const continued = ({ route, status }: RouteRow): number =>
  route.endsWith("/upload-start") || route.endsWith("/documents/uploads") ? 200 : status;

/**
 * Checks that an answer is the usual answer of a row, or the answer of a repeat after a lost answer. @returns whether
 * it is an outage
 */
function isOutageAnswer(row: RouteRow, { status, headers, text }: Answer, isRepeat: boolean, at: string): boolean {
  if (status === 503) {
    expect(headers.get("retry-after"), at).toMatch(/^[1-9]\d*$/);
    expect(text).toMatch(/"unavailable"|ServiceUnavailable/);
    return true;
  }
  const lost = LOST_ANSWERS[row.route];
  const isAfterLoss = isRepeat && ((lost !== undefined && text.includes(lost)) || status === continued(row));
  if (!isAfterLoss) expect([status, text], at).toEqual([row.status, text]);
  return false;
}

/** Whether a read of the answer's body ended with the outage, because its first bytes were sent already. */
const isCut = (row: RouteRow, thrown: unknown): boolean => row.notJson === true && isOutage(thrown);

/*
 * The database does not answer at the first statement of a request and its second try, at the second statement, and so
 * on. Each answer is the usual answer or 503 with Retry-After. The same request succeeds at last: an outage at any
 * statement leaves nothing half done.
 */
describe("an outage of the database at any statement of a request", () => {
  test.each(allRows.map((row) => [row.route, row] as const))("%s", async (_, row) => {
    const built = await row.request(world);
    for (let at = 1; ; at++) {
      const broken = failingDatabase(messageOf(row, at), (_text, call) => call === at || call === at + 1);
      const answer = await ask(row, built, { DB: broken.DB }).catch((thrown: unknown) => {
        if (isCut(row, thrown)) return null;
        throw thrown;
      });
      if (answer === null) continue;
      if (!isOutageAnswer(row, answer, at > 1, `statement ${at}`)) break;
      expect(broken.failures()).toBeGreaterThan(0);
    }
  });
});

/** Whether the answer waits for a job, which can have failed in an earlier try. */
const waitsForJob = ({ route }: RouteRow): boolean => route.endsWith("/upload-complete");

/** Tries of a request in a storm, and the probability that a call of a binding fails. */
const MAX_TRIES = 6;
const SHARE = 0.12;

/*
 * The calls of the database, the object store, the queues and the Durable Objects fail at random places, in
 * Cloudflare's words. Each answer is the usual answer or 503. In the calm after the storm, nothing is half done.
 */
describe("a storm over all bindings", () => {
  test.each(allRows.map((row) => [row.route, row] as const))("%s", async (_, row) => {
    const built = await row.request(world);
    let failed = 0;
    for (let tries = 0; tries <= MAX_TRIES; tries++) {
      const storm = stormyBindings(seedOf(row, tries), tries < MAX_TRIES ? SHARE : 0);
      const answer = await ask(row, built, storm.bindings).catch((thrown: unknown) => {
        if (isCut(row, thrown)) return null;
        throw thrown;
      });
      if (answer !== null && !isOutageAnswer(row, answer, failed > 0, `try ${tries}`)) return;
      failed++;
      // Its job failed in the storm, and waits for its next try.
      if (waitsForJob(row) && storm.failures() === 0) return;
      expect(storm.failures()).toBeGreaterThan(0);
    }
    throw new Error("the calm after the storm does not answer");
  });
});
