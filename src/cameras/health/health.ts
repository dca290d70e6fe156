import {
  HEARTBEAT_TIMEOUT_MS,
  INTERVALS_UNTIL_SILENT,
  RECOVERY_GROUPING_MS,
  SCHEDULE_HORIZON_MS,
  SILENCE_GROUPING_MS,
} from "../limits";
import { afterOpen, nextOpening, openPeriods, type Schedule } from "../schedule";
import type { Silence } from "../tables";

/** The facts about a camera at its check. Times are milliseconds since the epoch. */
export interface HealthFacts {
  schedule: Schedule;
  intervalMs: number;
  /** Whether images are expected: the camera is paired, not paused, revoked or retired, and its location and organization may have cameras. */
  isWatched: boolean;
  lastSeenAt: number | null;
  lastAcceptedAt: number | null;
}

/** The health of a camera after a check, as its row keeps it. */
export interface Health {
  checkAt: number | null;
  watchedSince: number | null;
  silence: Silence | null;
  silentSince: number | null;
  notifiedAt: number | null;
  recoveredAt: number | null;
}

export interface Decision {
  health: Health;
  /** The silence that ended, and its end. */
  ended: { cause: Silence; at: number } | null;
  /** The silence that began, and its beginning. */
  began: { cause: Silence; at: number } | null;
  /** The notification to send. The other cameras of the location decide when it is sent. */
  news: "silent" | "back" | null;
}

const UNWATCHED: Health = {
  checkAt: null,
  watchedSince: null,
  silence: null,
  silentSince: null,
  notifiedAt: null,
  recoveredAt: null,
};

/** The last time at which the device sent anything. */
const lastHeardAt = ({ lastSeenAt, lastAcceptedAt }: HealthFacts): number =>
  Math.max(lastSeenAt ?? 0, lastAcceptedAt ?? 0);

/** The time by which the next image must be accepted, counted from the last image or from the beginning of the watch. */
const expectedBy = ({ schedule, intervalMs, lastAcceptedAt }: HealthFacts, watchedSince: number): number =>
  afterOpen(
    schedule,
    Math.max(watchedSince, lastAcceptedAt ?? 0),
    INTERVALS_UNTIL_SILENT * intervalMs,
    SCHEDULE_HORIZON_MS,
  );

/**
 * The beginning of a silence. `from` is the last time at which the camera sent something, and it is silent at `now`. When the
 * window closed less than three intervals after `from`, the silence begins at the next opening: nothing was due before.
 */
function silenceStart({ schedule, intervalMs }: HealthFacts, from: number, now: number): number {
  const within = Math.min(from + INTERVALS_UNTIL_SILENT * intervalMs, now);
  for (const period of openPeriods(schedule, from, now + 1))
    if (period.from > from || period.to > within) return period.from;
  return from;
}

/** Checks a camera that is not silent so far: the cause and beginning of its silence, or the time of its next check. */
function checkHealthy(
  facts: HealthFacts,
  watchedSince: number,
  now: number,
): { cause: Silence; at: number } | { checkAt: number } {
  const by = expectedBy(facts, watchedSince);
  if (now < by) return { checkAt: by };
  const opening = nextOpening(facts.schedule, now, SCHEDULE_HORIZON_MS);
  if (opening === null || opening > now) return { checkAt: opening ?? now + SCHEDULE_HORIZON_MS };
  const heard = lastHeardAt(facts);
  if (heard <= now - HEARTBEAT_TIMEOUT_MS)
    return { cause: "offline", at: silenceStart(facts, Math.max(heard, watchedSince), now) };
  // The device sent something in the last interval of the wait: it is reachable, and takes no images.
  if (heard >= by - facts.intervalMs)
    return { cause: "camera-fault", at: silenceStart(facts, Math.max(watchedSince, facts.lastAcceptedAt ?? 0), now) };
  return { checkAt: heard + HEARTBEAT_TIMEOUT_MS };
}

/** Checks whether a silent camera is still silent. */
function checkSilent(
  facts: HealthFacts,
  health: Health & { silence: Silence; silentSince: number },
  now: number,
): Decision {
  const { silence: cause, silentSince } = health;
  const { lastAcceptedAt } = facts;
  const heard = lastHeardAt(facts);
  const none = { ended: null, began: null, news: null };
  if (lastAcceptedAt !== null && lastAcceptedAt > silentSince)
    return recover(facts, { ...health, silence: null, silentSince: null }, now, { cause, at: lastAcceptedAt });
  if (cause === "offline") {
    if (heard <= silentSince) return { health: { ...health, checkAt: null }, ...none };
    // The device sends again. It has three intervals to send an image, and only that image is announced.
    const next = { ...health, silence: null, silentSince: null, watchedSince: now };
    return {
      health: { ...next, checkAt: expectedBy(facts, now) },
      ended: { cause, at: heard },
      began: null,
      news: null,
    };
  }
  if (heard > now - HEARTBEAT_TIMEOUT_MS)
    return { health: { ...health, checkAt: heard + HEARTBEAT_TIMEOUT_MS }, ...none };
  const opening = nextOpening(facts.schedule, now, SCHEDULE_HORIZON_MS);
  if (opening === null || opening > now)
    return { health: { ...health, checkAt: opening ?? now + SCHEDULE_HORIZON_MS }, ...none };
  const offline = { cause: "offline" as const, at: silenceStart(facts, Math.max(heard, silentSince), now) };
  const next: Health = { ...health, silence: "offline", silentSince: offline.at, checkAt: null };
  return { health: next, ended: { cause, at: offline.at }, began: offline, news: null };
}

/** Ends the silence of a camera from which an image was accepted. */
function recover(facts: HealthFacts, health: Health, now: number, ended: Decision["ended"]): Decision {
  const checkAt = expectedBy(facts, health.watchedSince ?? now);
  const wasAnnounced = health.notifiedAt !== null;
  const next = { ...health, checkAt, notifiedAt: null, recoveredAt: wasAnnounced ? now : null };
  return { health: next, ended, began: null, news: wasAnnounced ? "back" : null };
}

/**
 * Decides about a camera that is due for a check. A camera is silent after three intervals without an image, and back after
 * one image. A camera that is paused, revoked, retired, not paired or outside its window causes no notification.
 */
export function decide(facts: HealthFacts, before: Health, now: number): Decision {
  const { silence, silentSince, notifiedAt } = before;
  if (!facts.isWatched)
    return {
      health: UNWATCHED,
      ended: silence === null ? null : { cause: silence, at: now },
      began: null,
      news: null,
    };
  const watchedSince = before.watchedSince ?? now;
  const health = { ...before, watchedSince };
  if (silence !== null && silentSince !== null) return checkSilent(facts, { ...health, silence, silentSince }, now);
  if (notifiedAt !== null && facts.lastAcceptedAt !== null && facts.lastAcceptedAt > watchedSince)
    return recover(facts, health, now, null);
  const seen = checkHealthy(facts, watchedSince, now);
  if ("checkAt" in seen) {
    // A recovery that is not announced yet has its own time.
    const { recoveredAt } = before;
    const checkAt = recoveredAt === null ? seen.checkAt : Math.min(seen.checkAt, recoveredAt + RECOVERY_GROUPING_MS);
    return { health: { ...health, checkAt }, ended: null, began: null, news: recoveredAt === null ? null : "back" };
  }
  const { cause, at } = seen;
  const checkAt = cause === "offline" ? null : lastHeardAt(facts) + HEARTBEAT_TIMEOUT_MS;
  // People who were notified that it is offline, and not that it is back, need no second notification.
  const isAnnounced = notifiedAt !== null && cause === "offline";
  return {
    health: { ...health, silence: cause, silentSince: at, checkAt, notifiedAt: notifiedAt ?? now, recoveredAt: null },
    ended: null,
    began: seen,
    news: isAnnounced ? null : "silent",
  };
}

/** The time until which cameras that become silent for the same cause cause no second notification. */
export const groupedUntil = (notifiedAt: number, intervalMs: number): number =>
  notifiedAt + Math.max(SILENCE_GROUPING_MS, intervalMs);
