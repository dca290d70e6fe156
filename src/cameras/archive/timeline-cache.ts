import type { Context } from "../../platform/context";
import { SECOND } from "../../platform/time";
import { retainedAfter } from "../visibility";
import type { Archive } from "./archive";
import { readTimeline, type Timeline } from "./timeline";

/** How long an instance answers with the same timeline, and how many it keeps: each is at most about 10 KB. */
const KEPT_FOR = 30 * SECOND;
const MOST_KEPT = 500;

const kept = new Map<string, { timeline: Timeline; readAt: number }>();

/** Whatever is published or removed makes a new key, also where it falls into an old gap. */
const keyOf = ({ camera, locationId }: Archive): string =>
  `${camera.id} ${locationId} ${camera.watermark} ${camera.retentionDays}`;

/**
 * The timeline of an archive, at most thirty seconds old, and never older than what was published or removed
 * since. Whoever asks was checked before.
 */
export async function timelineOf(context: Context, archive: Archive): Promise<Timeline> {
  const key = keyOf(archive);
  const found = kept.get(key);
  if (found !== undefined && isFresh(found, archive, context.now)) return found.timeline;
  const timeline = await readTimeline(context, archive);
  kept.delete(key);
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, { timeline, readAt: context.now });
  return timeline;
}

/** Not when its first frame has expired meanwhile. */
const isFresh = ({ timeline, readAt }: { timeline: Timeline; readAt: number }, { camera }: Archive, now: number) =>
  now - readAt < KEPT_FOR && (timeline.first === null || timeline.first.capturedAt > retainedAfter(camera, now));
