import { afterEach, expect, test, vi } from "vitest";
import { ACCESS_TOKEN_LIFETIME_MS, REFRESH_RETRY_GRACE_MS } from "../../src/access/limits";
import { mintPerson } from "../support/factories";
import fc, { scaled } from "../support/properties";
import { mintSession, sessionTokens, statusOf, tryRefresh } from "../support/sessions";

afterEach(() => {
  vi.useRealTimers();
});

/** The rule in simple code: the expected answer of a refresh with the token of generation `at`. */
class Chain {
  readonly usedAt: (number | undefined)[] = [];
  alive = true;

  refresh(at: number, now: number): boolean {
    if (!this.alive) return false;
    const used = this.usedAt[at];
    const isRetry = used !== undefined && now - used < REFRESH_RETRY_GRACE_MS && this.usedAt[at + 1] === undefined;
    if (used === undefined || isRetry) {
      this.usedAt[at] ??= now;
      return true;
    }
    this.alive = false;
    return false;
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("newest" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("older" as const), back: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 90_000 }) }) },
);

test("any order of refreshes, retries and waits follows the rule", { timeout: 240_000 }, async () => {
  const { userId } = await mintPerson();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      vi.useRealTimers();
      const first = await mintSession(userId);
      const started = Date.now();
      let now = started;
      vi.useFakeTimers({ now, toFake: ["Date"] });
      const tokens = [first.refreshToken];
      let access = first.token;
      const chain = new Chain();
      for (const one of steps) {
        if (one.kind === "wait") {
          now += one.ms;
          vi.setSystemTime(now);
          continue;
        }
        const at = Math.max(0, tokens.length - 1 - (one.kind === "older" ? one.back : 0));
        const response = await tryRefresh(tokens[at] ?? "");
        expect(response.status).toBe(chain.refresh(at, now) ? 200 : 401);
        if (response.status !== 200) continue;
        const answer = sessionTokens.parse(await response.json());
        tokens[at + 1] ??= answer.refreshToken;
        expect(answer.refreshToken).toBe(tokens[at + 1]);
        access = answer.accessToken;
      }
      if (now < started + ACCESS_TOKEN_LIFETIME_MS - 1_000)
        expect(await statusOf(access)).toBe(chain.alive ? 200 : 401);
    }),
    { numRuns: scaled(30) },
  );
});
