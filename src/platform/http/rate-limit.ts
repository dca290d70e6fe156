import { eq, lte, sql } from "drizzle-orm";
import type { Context, CountedLimit } from "../context";
import type { Statement } from "../db/database";
import { DomainError } from "../errors";
import { rateWindows } from "./tables";

export interface RateLimit {
  /** Requests in one window. */
  limit: number;
  windowMs: number;
}

/**
 * The `RateLimit-Policy` and `RateLimit` fields of an answer (draft-ietf-httpapi-ratelimit-headers-10); null without a limit.
 * Times are whole seconds, rounded up.
 */
export function rateLimitFields(counted: readonly CountedLimit[]): { policy: string; state: string } | null {
  if (counted.length === 0) return null;
  const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));
  return {
    policy: counted.map(({ policy, limit, windowMs }) => `"${policy}";q=${limit};w=${seconds(windowMs)}`).join(", "),
    state: counted
      .map(({ policy, remaining, resetMs }) => `"${policy}";r=${remaining};t=${seconds(resetMs)}`)
      .join(", "),
  };
}

/**
 * Counts one event against an exact limit that all isolates share. A refused event counts too.
 * @param bucket names the limited caller and the purpose; hash the parts that identify a person
 * @param policy the name of the limit in the answer; null if other callers count against it, whose number is not told
 * @throws DomainError rate-limited, with the seconds until the window ends
 */
export async function consumeRateLimit(
  { directory, now, counted }: Pick<Context, "directory" | "now" | "counted">,
  bucket: string,
  { limit, windowMs }: RateLimit,
  policy: string | null = null,
): Promise<void> {
  const ended = lte(rateWindows.startedAt, now - windowMs);
  const [row] = await directory
    .insert(rateWindows)
    .values({ bucket, startedAt: now, count: 1 })
    .onConflictDoUpdate({
      target: rateWindows.bucket,
      set: {
        count: sql`CASE WHEN ${ended} THEN 1 ELSE ${rateWindows.count} + 1 END`,
        startedAt: sql`CASE WHEN ${ended} THEN ${now} ELSE ${rateWindows.startedAt} END`,
      },
    })
    .returning();
  if (row === undefined) return;
  const resetMs = row.startedAt + windowMs - now;
  if (policy !== null) counted.push({ policy, limit, windowMs, remaining: Math.max(0, limit - row.count), resetMs });
  if (row.count > limit) throw rateLimited(resetMs / 1_000);
}

/** Counts one event against an exact limit, and returns whether the limit allows it. */
export async function isWithinRate(
  context: Pick<Context, "directory" | "now" | "counted">,
  bucket: string,
  limit: RateLimit,
): Promise<boolean> {
  try {
    await consumeRateLimit(context, bucket, limit);
    return true;
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === "rate-limited") return false;
    throw thrown;
  }
}

/** Resets the count of a bucket; a statement of a change. */
export const resetRateLimit = ({ directory }: Pick<Context, "directory">, bucket: string): Statement<"directory"> =>
  directory.delete(rateWindows).where(eq(rateWindows.bucket, bucket));

export const rateLimited = (retryAfterSeconds: number): DomainError =>
  new DomainError(
    "rate-limited",
    "Too many requests. Wait for the seconds in Retry-After, then send the request again.",
    {
      retryAfter: retryAfterSeconds,
    },
  );

/** A rate limit of one isolate, in bounded memory. Use it against floods, where an approximate limit is enough. */
export class InstanceLimiter {
  readonly #windows = new Map<string, { startedAt: number; count: number }>();

  /** @param policy the name of the limit in the answer */
  constructor(
    readonly policy: string,
    readonly rate: RateLimit,
    private readonly maxBuckets = 10_000,
  ) {}

  /** Counts one request. @throws DomainError rate-limited. */
  consume({ now, counted }: Pick<Context, "now" | "counted">, bucket: string): void {
    const { startedAt, count } = this.#count(bucket, now);
    const { limit, windowMs } = this.rate;
    const resetMs = startedAt + windowMs - now;
    counted.push({ policy: this.policy, limit, windowMs, remaining: Math.max(0, limit - count), resetMs });
    if (count > limit) throw rateLimited(resetMs / 1_000);
  }

  #count(bucket: string, now: number): { startedAt: number; count: number } {
    const window = this.#windows.get(bucket);
    if (window !== undefined && window.startedAt + this.rate.windowMs > now) {
      window.count += 1;
      return window;
    }
    if (this.#windows.size >= this.maxBuckets) this.#removeExpired(now);
    const opened = { startedAt: now, count: 1 };
    this.#windows.set(bucket, opened);
    return opened;
  }

  #removeExpired(now: number): void {
    for (const [bucket, w] of this.#windows) if (w.startedAt + this.rate.windowMs <= now) this.#windows.delete(bucket);
    if (this.#windows.size >= this.maxBuckets) this.#windows.clear();
  }
}

/**
 * The network of an IP address, for rate limits: an IPv4 address itself, or the /64 of an IPv6 address, which one
 * customer usually has. Other text is returned unchanged.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(":")) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = "", tail] = ip.toLowerCase().split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [left, right] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const all = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
