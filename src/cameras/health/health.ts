import {
  HEARTBEAT_TIMEOUT_MS,
  INTERVALS_UNTIL_SILENT,
  RECOVERY_GROUPING_MS,
  SCHEDULE_HORIZON_MS,
  SILENCE_GROUPING_MS,
} from "../limits";
import { afterOpen, nextOpening, openPeriods, type Schedule } from "../schedule";
import type { Silence } from "../tables";

/** What is known of a camera when it is looked at; times in milliseconds since the epoch. */
export interface Facts {
  schedule: Schedule;
  intervalMs: number;
  /** Whether images are expected at all: paired, not paused, revoked or retired, in a place and organization that has cameras. */
  isWatched: boolean;
  lastSeenAt: number | null;
  lastAcceptedAt: number | null;
}

/** What looking at a camera leaves in its row. */
export interface Health {
  checkAt: number | null;
  watchedSince: number | null;
  silence: Silence | null;
  silentSince: number | null;
  toldAt: number | null;
  backAt: number | null;
}

export interface Decision {
  health: Health;
  /** The silence that ended, and when. */
  ended: { cause: Silence; at: number } | null;
  /** The silence that began, and when. */
  began: { cause: Silence; at: number } | null;
  /** Who has to hear of it, once others of the location have been asked. */
  news: "silent" | "back" | null;
}

const NOTHING_EXPECTED: Health = {
  checkAt: null,
  watchedSince: null,
  silence: null,
  silentSince: null,
  toldAt: null,
  backAt: null,
};

/** The last sign of life of a device. */
const heardAt = ({ lastSeenAt, lastAcceptedAt }: Facts): number => Math.max(lastSeenAt ?? 0, lastAcceptedAt ?? 0);

/** When an image must have been accepted, after the last one and the beginning of the watch. */
const expectedBy = ({ schedule, intervalMs, lastAcceptedAt }: Facts, watchedSince: number): number =>
  afterOpen(
    schedule,
    Math.max(watchedSince, lastAcceptedAt ?? 0),
    INTERVALS_UNTIL_SILENT * intervalMs,
    SCHEDULE_HORIZON_MS,
  );

/**
 * When the silence of a camera begins that showed the last sign of life at `from` and is silent at `now`. Where the
 * window closed too soon after that sign for three intervals, it is the next opening: until then nothing was due.
 */
function silentFrom({ schedule, intervalMs }: Facts, from: number, now: number): number {
  const within = Math.min(from + INTERVALS_UNTIL_SILENT * intervalMs, now);
  for (const period of openPeriods(schedule, from, now + 1))
    if (period.from > from || period.to > within) return period.from;
  return from;
}

/** Whether a camera that is not known as silent is: since when and why, or when to look again. */
function look(facts: Facts, watchedSince: number, now: number): { cause: Silence; at: number } | { checkAt: number } {
  const by = expectedBy(facts, watchedSince);
  if (now < by) return { checkAt: by };
  const opening = nextOpening(facts.schedule, now, SCHEDULE_HORIZON_MS);
  if (opening === null || opening > now) return { checkAt: opening ?? now + SCHEDULE_HORIZON_MS };
  const heard = heardAt(facts);
  if (heard <= now - HEARTBEAT_TIMEOUT_MS)
    return { cause: "offline", at: silentFrom(facts, Math.max(heard, watchedSince), now) };
  // Heard in the last interval that was waited for: the device is there, and takes nothing.
  if (heard >= by - facts.intervalMs)
    return { cause: "camera-fault", at: silentFrom(facts, Math.max(watchedSince, facts.lastAcceptedAt ?? 0), now) };
  return { checkAt: heard + HEARTBEAT_TIMEOUT_MS };
}

/** A camera that is known as silent: whether it still is. */
function lookAgain(facts: Facts, health: Health & { silence: Silence; silentSince: number }, now: number): Decision {
  const { silence: cause, silentSince } = health;
  const { lastAcceptedAt } = facts;
  const heard = heardAt(facts);
  const none = { ended: null, began: null, news: null };
  if (lastAcceptedAt !== null && lastAcceptedAt > silentSince)
    return comesBack(facts, { ...health, silence: null, silentSince: null }, now, { cause, at: lastAcceptedAt });
  if (cause === "offline") {
    if (heard <= silentSince) return { health: { ...health, checkAt: null }, ...none };
    // It is heard again: it has three intervals to send something, and people hear when it does.
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
  const offline = { cause: "offline" as const, at: silentFrom(facts, Math.max(heard, silentSince), now) };
  const next: Health = { ...health, silence: "offline", silentSince: offline.at, checkAt: null };
  return { health: next, ended: { cause, at: offline.at }, began: offline, news: null };
}

/** An image was accepted from a camera that people believe silent. */
function comesBack(facts: Facts, health: Health, now: number, ended: Decision["ended"]): Decision {
  const checkAt = expectedBy(facts, health.watchedSince ?? now);
  const wasTold = health.toldAt !== null;
  const next = { ...health, checkAt, toldAt: null, backAt: wasTold ? now : null };
  return { health: next, ended, began: null, news: wasTold ? "back" : null };
}

/**
 * What becomes of a camera that is due. Nothing is told of one that is paused, revoked, retired, not paired or
 * outside its window; silence needs three intervals without an image, and being back one image.
 */
export function decide(facts: Facts, before: Health, now: number): Decision {
  const { silence, silentSince, toldAt } = before;
  if (!facts.isWatched)
    return {
      health: NOTHING_EXPECTED,
      ended: silence === null ? null : { cause: silence, at: now },
      began: null,
      news: null,
    };
  const watchedSince = before.watchedSince ?? now;
  const health = { ...before, watchedSince };
  if (silence !== null && silentSince !== null) return lookAgain(facts, { ...health, silence, silentSince }, now);
  if (toldAt !== null && facts.lastAcceptedAt !== null && facts.lastAcceptedAt > watchedSince)
    return comesBack(facts, health, now, null);
  const seen = look(facts, watchedSince, now);
  if ("checkAt" in seen) {
    // One that is back and not yet told of is looked at when it is to be told.
    const { backAt } = before;
    const checkAt = backAt === null ? seen.checkAt : Math.min(seen.checkAt, backAt + RECOVERY_GROUPING_MS);
    return { health: { ...health, checkAt }, ended: null, began: null, news: backAt === null ? null : "back" };
  }
  const { cause, at } = seen;
  const checkAt = cause === "offline" ? null : heardAt(facts) + HEARTBEAT_TIMEOUT_MS;
  // Who was told that it is offline, and not that it is back, need not hear it again.
  const isKnown = toldAt !== null && cause === "offline";
  return {
    health: { ...health, silence: cause, silentSince: at, checkAt, toldAt: toldAt ?? now, backAt: null },
    ended: null,
    began: seen,
    news: isKnown ? null : "silent",
  };
}

/** Until when others that fall silent for the same cause are not told of again, after `toldAt`. */
export const joinsUntil = (toldAt: number, intervalMs: number): number =>
  toldAt + Math.max(SILENCE_GROUPING_MS, intervalMs);
