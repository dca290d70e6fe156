import { dataOf, ProblemError } from "../../../../client/src/index.ts";
import { api, session } from "../platform/session.ts";

/*
 * Uploads that a person has cancelled. The service keeps their storage reserved until it is told, so this browser remembers them
 * until it was: also without a network, and after the page was left.
 */

interface Ending {
  userId: string;
  locationId: string;
  uploadId: string;
}

const KEY = "uploads-to-end";
/** The most uploads that are remembered, and the pause before another attempt, milliseconds. */
const [MAX_REMEMBERED, PAUSE_MS] = [100, 30_000];

const isEnding = (value: unknown): value is Ending =>
  typeof value === "object" && value !== null && "uploadId" in value && "locationId" in value && "userId" in value;

/** The remembered uploads of all people and tabs of this browser. */
function read(): Ending[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(all) ? all.filter(isEnding) : [];
  } catch {
    return [];
  }
}

const keep = (all: readonly Ending[]): void => localStorage.setItem(KEY, JSON.stringify(all.slice(-MAX_REMEMBERED)));

const forget = (uploadId: string): void => keep(read().filter((one) => one.uploadId !== uploadId));

/** Uploads whose request runs. */
const running = new Set<string>();

/** Ends an upload at the service. It stays remembered while there is no connection. */
async function tell({ locationId, uploadId }: Ending): Promise<void> {
  if (running.has(uploadId)) return;
  running.add(uploadId);
  try {
    await dataOf(
      api.DELETE("/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}", {
        params: { path: { locationId, uploadId } },
      }),
    );
    forget(uploadId);
  } catch (thrown) {
    // The service has ended it already, or this person may not end it any more.
    if (thrown instanceof ProblemError && thrown.status < 500 && thrown.status !== 429 && thrown.status !== 401)
      forget(uploadId);
    else setTimeout(tellAll, PAUSE_MS);
  } finally {
    running.delete(uploadId);
  }
}

/** Ends the remembered uploads of this person. */
function tellAll(): void {
  if (!navigator.onLine) return;
  for (const one of read()) if (one.userId === session.peek()?.user.id) void tell(one);
}

/** Ends a cancelled upload at the service: now, or when there is a network again. */
export function endUpload(locationId: string, uploadId: string): void {
  const one = { userId: session.peek()?.user.id ?? "", locationId, uploadId };
  keep([...read().filter((other) => other.uploadId !== uploadId), one]);
  if (navigator.onLine) void tell(one);
}

addEventListener("online", tellAll);
tellAll();
