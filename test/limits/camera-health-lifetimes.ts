import { decide, groupedUntil, type Health, type HealthFacts } from "../../src/cameras/health/health";
import { afterHeartbeat } from "../../src/cameras/ingestion/device";
import * as cameras from "../../src/cameras/limits";
import { HOUR, MINUTE } from "../../src/platform/time";
import type { LifetimeRow } from "./lifetime";

/** What is decided later on a camera that is watched from now on. Its interval is one minute. */
function healthAt(
  facts: Partial<HealthFacts>,
  told: (decision: ReturnType<typeof decide>) => unknown,
  health: Partial<Health> = {},
) {
  const whole: HealthFacts = {
    schedule: { captureWindow: null, timeZone: "UTC" },
    intervalMs: MINUTE,
    isWatched: true,
    lastSeenAt: null,
    lastAcceptedAt: null,
    ...facts,
  };
  const watched = { checkAt: 0, watchedSince: Date.now(), silence: null, silentSince: null };
  const before: Health = { ...watched, notifiedAt: null, recoveredAt: null, ...health };
  return async () => told(decide(whole, before, Date.now()));
}

/** Times by which the service decides whether a camera is silent. */
export const cameraHealthLifetimeRows: readonly LifetimeRow[] = [
  ...(["", "instance-a"] as const).map((again) => ({
    limit: "SHARED_IDENTITY_MEMORY_MS",
    ms: cameras.SHARED_IDENTITY_MEMORY_MS,
    async begin() {
      const beat = (before: ReturnType<typeof afterHeartbeat> | null, id?: string) =>
        afterHeartbeat(before, id, Date.now());
      const two = beat(beat(null, "instance-a"), "instance-b");
      // Either the first one comes back later, or it is back at once and nothing is heard any more.
      const known = again === "" ? beat(two, "instance-a") : two;
      return async () => beat(known, again || undefined).sharedAt !== undefined;
    },
    before: true,
    after: false,
  })),
  {
    limit: "INTERVALS_UNTIL_SILENT",
    ms: cameras.INTERVALS_UNTIL_SILENT * HOUR,
    begin: async () => healthAt({ intervalMs: HOUR, lastSeenAt: Date.now() }, ({ began }) => began !== null),
    before: false,
    after: true,
  },
  {
    limit: "HEARTBEAT_TIMEOUT_MS",
    ms: cameras.HEARTBEAT_TIMEOUT_MS,
    begin: async () => healthAt({ lastSeenAt: Date.now() }, ({ began }) => began?.cause),
    before: undefined,
    after: "offline",
  },
  {
    limit: "HEARTBEAT_TIMEOUT_MS",
    ms: cameras.HEARTBEAT_TIMEOUT_MS,
    begin: async () =>
      healthAt({ lastSeenAt: Date.now() }, ({ began }) => began?.cause, {
        silence: "camera-fault",
        silentSince: Date.now(),
      }),
    before: undefined,
    after: "offline",
  },
  {
    limit: "SILENCE_GROUPING_MS",
    ms: cameras.SILENCE_GROUPING_MS,
    async begin() {
      const until = groupedUntil(Date.now(), MINUTE);
      return async () => Date.now() < until;
    },
    before: true,
    after: false,
  },
];
