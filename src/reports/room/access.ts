import { credentialKey, levelAt, READ, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { MINUTE } from "../../platform/time";
import { loadAccessAtLocation, placeOfLocation } from "../../workspace";
import type { Arrival, CloseReason } from "./member";

/** Longest time after which access is asked again, whatever was announced. */
const CHECK_EVERY = 5 * MINUTE;

export type Admission =
  | { admitted: true; canWrite: boolean; checkAt: number }
  | { admitted: false; reason: CloseReason };

/** What each of these people may do with a report at its location today, asked for all at once. */
export async function admit(
  context: Pick<Context, "db">,
  locationId: string,
  arrivals: readonly Pick<Arrival, "credential" | "expiresAt">[],
  now: number,
): Promise<Admission[]> {
  const credentials = arrivals.map(({ credential }) => credential);
  const { location, facts, endsAt } = await loadAccessAtLocation(context.db, credentials, locationId, [], now);
  return arrivals.map(({ credential, expiresAt }) => {
    if (expiresAt <= now) return { admitted: false, reason: "expired" };
    if (location === null) return { admitted: false, reason: "gone" };
    const key = credentialKey(credential);
    const found = facts.get(key);
    const level = found === undefined ? 0 : levelAt(found, "Reports", placeOfLocation(location));
    if (level < READ) return { admitted: false, reason: "forbidden" };
    const checkAt = Math.min(expiresAt, endsAt.get(key) ?? Number.POSITIVE_INFINITY, now + CHECK_EVERY);
    return { admitted: true, canWrite: level >= WRITE, checkAt };
  });
}
