import { eq, lte, sql } from "drizzle-orm";
import type { Context } from "../context";
import type { Statement } from "../db/database";
import { DomainError } from "../errors";
import { rateWindows } from "./tables";

export interface RateLimit {
  /** Requests in one window. */
  limit: number;
  windowMs: number;
}

/**
 * Counts one event against an exact limit that all isolates share. A refused event counts too.
 * @param bucket names the limited caller and the purpose; hash the parts that identify a person
 * @throws DomainError rate-limited, with the seconds until the window ends
 */
export async function consumeRateLimit(
  { directory, now }: Pick<Context, "directory" | "now">,
  bucket: string,
  { limit, windowMs }: RateLimit,
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
  if (row !== undefined && row.count > limit) throw rateLimited((row.startedAt + windowMs - now) / 1_000);
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

  constructor(
    readonly rate: RateLimit,
    private readonly maxBuckets = 10_000,
  ) {}

  /** @throws DomainError rate-limited. */
  consume(bucket: string, now: number): void {
    const window = this.#windows.get(bucket);
    if (window === undefined || window.startedAt + this.rate.windowMs <= now) {
      if (this.#windows.size >= this.maxBuckets) this.#removeExpired(now);
      this.#windows.set(bucket, { startedAt: now, count: 1 });
      return;
    }
    window.count += 1;
    if (window.count > this.rate.limit) throw rateLimited((window.startedAt + this.rate.windowMs - now) / 1_000);
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
