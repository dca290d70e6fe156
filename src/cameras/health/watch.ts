import { and, asc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { DAY, MINUTE } from "../../platform/time";
import { locations } from "../../workspace/tables";
import { announceCamera, type CameraRow } from "../find";
import { HEALTH_CHECKS_PER_SLICE, MAX_NAMED_CAMERAS, RECOVERY_GROUPING_MS } from "../limits";
import { cameraConditions, cameraCredentials, cameraHealth, cameras, type Silence } from "../tables";
import { beginCondition, endCondition } from "./conditions";
import { type Decision, decide, type Facts, joinsUntil } from "./health";

type Decided = DueCamera & { decision: Decision };

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
    const due = await dueCameras(context, now, HEALTH_CHECKS_PER_SLICE);
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
    return due.length < HEALTH_CHECKS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};

type HealthRow = typeof cameraHealth.$inferSelect;

/** A camera that is due, with what decides about it. */
interface DueCamera {
  camera: CameraRow;
  health: HealthRow;
  /** Where it stands, while that lives. */
  locationId: string | null;
  facts: Facts;
}

const isLive: SQL = sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.cameraId} = ${cameras.id}
  AND ${cameraCredentials.revokedAt} IS NULL)`;

/** The next cameras to check, the longest due first. The rows read depend only on the cameras that are due. */
async function dueCameras({ db }: Context, now: number, limit: number): Promise<DueCamera[]> {
  const rows = await db
    .select({
      camera: cameras,
      health: cameraHealth,
      locationId: locations.id,
      mayUseCameras: organizations.cameras,
      isPaired: sql<number>`${isLive}`,
    })
    .from(cameraHealth)
    .innerJoin(cameras, eq(cameras.id, cameraHealth.cameraId))
    .innerJoin(organizations, eq(organizations.id, cameras.organizationId))
    .leftJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .where(lte(cameraHealth.checkAt, now))
    .orderBy(asc(cameraHealth.checkAt))
    .limit(limit);
  return rows.map(({ camera, health, locationId, mayUseCameras, isPaired }) => {
    const isOff = camera.isPaused || camera.revokedAt !== null || camera.retiredAt !== null;
    return {
      camera,
      health,
      locationId,
      facts: {
        schedule: camera,
        intervalMs: camera.captureIntervalMinutes * MINUTE,
        isWatched: !isOff && isPaired === 1 && mayUseCameras && locationId !== null,
        lastSeenAt: camera.lastSeenAt,
        lastAcceptedAt: health.lastAcceptedAt,
      },
    };
  });
}

/** A camera of a location that people are, or soon will be, told of. */
interface Neighbour {
  id: string;
  locationId: string;
  intervalMinutes: number;
  health: HealthRow;
}

/** Those of these locations whose silence people know of, or that came back and are still to be told of. */
async function toldNeighbours({ db }: Context, locationIds: readonly string[]): Promise<Neighbour[]> {
  if (locationIds.length === 0) return [];
  const rows = await db
    .select({
      id: cameras.id,
      locationId: cameras.locationId,
      intervalMinutes: cameras.captureIntervalMinutes,
      health: cameraHealth,
    })
    .from(cameras)
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .where(and(inSet(cameras.locationId, locationIds), or(gt(cameraHealth.toldAt, 0), gt(cameraHealth.backAt, 0))));
  return rows.flatMap(({ locationId, ...row }) => (locationId === null ? [] : [{ ...row, locationId }]));
}

interface Group {
  locationId: string;
  tenantId: string;
  cameras: Decided[];
}

const groupBy = (decided: readonly Decided[], keyOf: (one: Decided) => string | null): Map<string, Group> => {
  const groups = new Map<string, Group>();
  for (const one of decided) {
    const key = keyOf(one);
    if (key === null || one.locationId === null) continue;
    const group = groups.get(key) ?? { locationId: one.locationId, tenantId: one.camera.tenantId, cameras: [] };
    group.cameras.push(one);
    groups.set(key, group);
  }
  return groups;
};

/** Tells once a location and cause; those that follow others of the place within an hour are not told of again. */
function tellSilent(change: Change, decided: readonly Decided[], neighbours: readonly Neighbour[], now: number): void {
  const own = new Set(decided.map(({ camera }) => camera.id));
  const groups = groupBy(decided, ({ locationId, decision: { news, began } }) =>
    news === "silent" && began !== null ? `${locationId} ${began.cause}` : null,
  );
  for (const { locationId, tenantId, cameras } of groups.values()) {
    const cause: Silence = cameras[0]?.decision.began?.cause ?? "offline";
    const isKnown = neighbours.some(
      ({ id, locationId: at, intervalMinutes, health: { silence, toldAt } }) =>
        !own.has(id) &&
        at === locationId &&
        silence === cause &&
        toldAt !== null &&
        now < joinsUntil(toldAt, intervalMinutes * MINUTE),
    );
    if (isKnown) continue;
    const ids = cameras.map(({ camera }) => camera.id);
    const event = { locationId, cause, cameraIds: ids.slice(0, MAX_NAMED_CAMERAS), count: ids.length };
    change.announce({ type: "cameras-silent", ...event }, tenantId);
  }
}

/**
 * Tells of those that are back, once a location: when nothing of it is silent any more, or after the first of
 * them has waited for the others. @returns cameras not looked at now that were told of along.
 */
function tellBack(
  change: Change,
  decided: readonly Decided[],
  neighbours: readonly Neighbour[],
  now: number,
): string[] {
  const own = new Set(decided.map(({ camera }) => camera.id));
  const alsoTold: string[] = [];
  for (const group of groupBy(decided, ({ locationId, decision }) =>
    decision.news === "back" ? locationId : null,
  ).values()) {
    const { locationId, tenantId, cameras } = group;
    const others = neighbours.filter(({ id, locationId: at }) => at === locationId && !own.has(id));
    const isAwaited =
      others.some(({ health }) => health.toldAt !== null) ||
      decided.some((one) => one.locationId === locationId && one.decision.health.toldAt !== null);
    const first = Math.min(...cameras.map(({ decision }) => decision.health.backAt ?? now));
    if (isAwaited && now < first + RECOVERY_GROUPING_MS) {
      for (const { decision } of cameras) {
        const { health } = decision;
        health.checkAt = Math.min(
          health.checkAt ?? Number.POSITIVE_INFINITY,
          (health.backAt ?? now) + RECOVERY_GROUPING_MS,
        );
      }
      continue;
    }
    const waiting = others.filter(({ health }) => health.backAt !== null).map(({ id }) => id);
    const ids = [...cameras.map(({ camera }) => camera.id), ...waiting];
    for (const { decision } of cameras) decision.health.backAt = null;
    alsoTold.push(...waiting);
    const event = { locationId, cameraIds: ids.slice(0, MAX_NAMED_CAMERAS), count: ids.length };
    change.announce({ type: "cameras-back", ...event }, tenantId);
  }
  return alsoTold;
}

/** Announces what was decided, gathered by location. @returns cameras whose being back was told along with others'. */
function tellNews(
  change: Change,
  decided: readonly Decided[],
  neighbours: readonly Neighbour[],
  now: number,
): string[] {
  tellSilent(change, decided, neighbours, now);
  return tellBack(change, decided, neighbours, now);
}
