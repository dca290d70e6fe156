import { and, eq, lt, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { announceCamera } from "../announce";
import { cameras } from "../tables";
import { type Decision, decide } from "./assess";
import { beginCondition, endCondition } from "./conditions";
import { type DueCamera, dueCameras, toldNeighbours } from "./due";
import { tellNews } from "./news";
import { cameraConditions, cameraHealth } from "./tables";

/** Cameras one slice looks at. */
const SLICE = 100;

export type Decided = DueCamera & { decision: Decision };

/** Holds while nothing that was decided from has changed: an image or heartbeat may come in at any moment. */
function requireSame(change: Change, decided: readonly Decided[]): void {
  const seen = decided.map(({ camera, health }) => [camera.id, health.touched, camera.lastSeenAt]);
  const same = sql`(SELECT count(*) FROM json_each(${JSON.stringify(seen)}) AS seen
    CROSS JOIN ${cameraHealth} ON ${cameraHealth.cameraId} = seen.value ->> 0 AND ${cameraHealth.touched} = seen.value ->> 1
    CROSS JOIN ${cameras} ON ${cameras.id} = seen.value ->> 0 AND ${cameras.lastSeenAt} IS seen.value ->> 2) = ${decided.length}`;
  change.guard(same, new DomainError("unavailable", "A camera was heard of meanwhile; it is looked at again."));
}

/** Writes what was decided into the rows, one statement for all of them. */
function keep(change: Change, decided: readonly Decided[]): void {
  const rows = decided.map(({ camera, decision: { health } }) => ({ id: camera.id, ...health }));
  change.add(sql`UPDATE ${cameraHealth} SET check_at = j.value ->> 'checkAt', watched_since = j.value ->> 'watchedSince',
      silence = j.value ->> 'silence', silent_since = j.value ->> 'silentSince', told_at = j.value ->> 'toldAt',
      back_at = j.value ->> 'backAt'
    FROM json_each(${JSON.stringify(rows)}) AS j WHERE camera_id = j.value ->> 'id'`);
}

/** Remembers silences as conditions, and tells live views. */
function remember(context: Context, change: Change, { camera, locationId, decision }: Decided): void {
  const { began, ended } = decision;
  if (ended !== null) endCondition(context, change, camera.id, ended.cause, ended.at);
  if (began !== null) {
    const detail = began.cause === "camera-fault" ? { errorCode: camera.device?.errorCode ?? null } : {};
    beginCondition(context, change, camera.id, began.cause, began.at, detail);
    const forgotten = lt(cameraConditions.endedAt, context.now - camera.retentionDays * DAY);
    change.add(context.db.delete(cameraConditions).where(and(eq(cameraConditions.cameraId, camera.id), forgotten)));
  }
  if ((began ?? ended) !== null && locationId !== null) announceCamera(change, camera, locationId);
}

/** Looks at the cameras that are due, and tells people of those that fell silent or came back. */
export const watchCameras: JobHandler<"watch-cameras"> = {
  async run(context) {
    const now = Date.now();
    const due = await dueCameras(context, now, SLICE);
    if (due.length === 0) return complete();
    const decided: Decided[] = due.map((camera) => ({ ...camera, decision: decide(camera.facts, camera.health, now) }));
    const change = beginChange(context);
    requireSame(change, decided);
    const concerned = decided.flatMap(({ locationId, decision }) =>
      decision.news !== null && locationId !== null ? [locationId] : [],
    );
    const neighbours = await toldNeighbours(context, [...new Set(concerned)]);
    const alsoTold = tellNews(change, decided, neighbours, now);
    keep(change, decided);
    if (alsoTold.length > 0)
      change.add(sql`UPDATE ${cameraHealth} SET back_at = NULL
        WHERE camera_id IN (SELECT value FROM json_each(${JSON.stringify(alsoTold)}))`);
    for (const one of decided) remember(context, change, one);
    return due.length < SLICE ? complete(change) : continueLater(null, { change });
  },
};
