import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { codeOf } from "../support/call";
import { stopClock } from "../support/patience";
import { rateRows } from "./rates";

const forgetWindows = () => env.DB.prepare("DELETE FROM rate_windows").run();
// Other files use the same windows of the database.
beforeEach(forgetWindows);
afterAll(forgetWindows);

/** The names of the constants that are rates: a number of requests in a window. */
const modules = import.meta.glob<Readonly<Record<string, unknown>>>("../../src/**/limits.ts", { eager: true });
const isRate = (name: string, value: unknown): boolean =>
  /_PER_(?:MINUTE|HOUR)$/.test(name) || (typeof value === "object" && value !== null && "windowMs" in value);

test("every rate has a row that reaches it through HTTP", () => {
  const rates = Object.values(modules).flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (isRate(name, value) ? [name] : [])),
  );
  // Their own tests count them: no answer says whether a mail was sent, replays come over the hub, and mails come by themselves.
  const others = [
    "RESET_MAILS_PER_ADDRESS",
    "INVITATION_MAILS_PER_ADDRESS",
    "MAX_REPLAYED_BYTES_PER_MINUTE",
    "MAILS_PER_ADDRESS",
    "MAILS_PER_SENDER",
    "ANSWERS_PER_SENDER",
  ];
  expect([...rateRows.map(({ limit }) => limit), ...others].sort()).toEqual(rates.sort());
});

/** Limits that other callers share. An answer does not tell how often they have asked. */
const SHARED = new Set([
  "ADMISSIONS_PER_MINUTE",
  "ENROLLMENTS_PER_CAMERA",
  "EXPORTS_PER_WORKSPACE",
  "PASSCODE_TRIES_PER_LINK",
  "REDEMPTIONS_PER_CAMERA",
  "REGISTRATIONS_PER_ADDRESS",
  "SIGN_INS_PER_ACCOUNT",
  "SIGN_INS_PER_ACCOUNT_AND_NETWORK",
  "WEBHOOK_REQUESTS_PER_MINUTE",
]);

describe("a rate is reached exactly, and its window opens again in time", () => {
  test.each(rateRows)("$limit", async ({ limit: name, rate: { limit, windowMs }, caller, served }) => {
    const startedAt = stopClock();
    const { ask, count } = await caller();
    const askServed = async () => {
      const answer = await ask();
      expect([answer.status, await answer.text()]).toEqual([served, expect.anything()]);
    };
    const expectRefused = async (at: number) => {
      vi.setSystemTime(at);
      const refused = await ask();
      const seconds = Math.ceil((startedAt + windowMs - at) / 1_000);
      expect(Number(refused.headers.get("retry-after"))).toBe(seconds);
      const states = refused.headers.get("ratelimit")?.split(", ") ?? [];
      const policies = refused.headers.get("ratelimit-policy")?.split(", ") ?? [];
      const spent = states.filter((state) => state.includes(";r=0;"));
      expect(spent).toEqual(SHARED.has(name) ? [] : [expect.stringMatching(`^"[a-z-]+";r=0;t=${seconds}$`)]);
      for (const state of spent) expect(policies).toContain(`${state.split(";")[0]};q=${limit};w=${windowMs / 1_000}`);
      expect(await codeOf(refused)).toBe("429 rate-limited");
    };
    await askServed();
    if (count === undefined) for (let n = 2; n < limit; n++) await askServed();
    else await count(limit - 2);
    await askServed();
    await expectRefused(startedAt);
    await expectRefused(startedAt + windowMs - 1_000);
    await expectRefused(startedAt + windowMs - 1);
    // The window of another caller is open.
    expect((await (await caller()).ask()).status).toBe(served);
    vi.setSystemTime(startedAt + windowMs);
    await askServed();
  });
});
