import { and, asc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { mayUseCameras } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { DAY, MINUTE } from "../../platform/time";
import { locations } from "../../workspace/tables";
import { announceCamera, type CameraRow } from "../find";
import { HEALTH_CHECKS_PER_SLICE, MAX_NAMED_CAMERAS, RECOVERY_GROUPING_MS } from "../limits";
import { cameraConditions, cameraCredentials, cameraHealth, cameras, type Silence } from "../tables";
import { beginCondition, endCondition } from "./conditions";
import { type Decision, decide, groupedUntil, type HealthFacts } from "./health";

type HealthRow = typeof cameraHealth.$inferSelect;

/** A camera that is due for a check, with the facts for the decision. */
interface DueCamera {
  camera: CameraRow;
  health: HealthRow;
  /** The location of the camera, or null if the location was deleted. */
  locationId: string | null;
  facts: HealthFacts;
}

type Decided = DueCamera & { decision: Decision };

/** A camera of a location whose silence or recovery is part of a sent or pending notification. */
interface Neighbour {
  id: string;
  locationId: string;
  intervalMinutes: number;
  health: HealthRow;
}

/** Checks the cameras that are due, and announces the cameras that became silent or came back. */
export const watchCameras: RecurringHandler<"watch-cameras"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${cameraHealth} WHERE ${lte(cameraHealth.checkAt, now)})`,
  async run(context) {
    const now = Date.now();
    const due = await dueCameras(context, now, HEALTH_CHECKS_PER_SLICE);
    if (due.length === 0) return complete();
    const decided: Decided[] = due.map((camera) => ({ ...camera, decision: decide(camera.facts, camera.health, now) }));
    const change = beginChange(
      context,
      due.map(({ camera }) => camera.tenantId),
    );
    requireUnchanged(change, decided);
    const concerned = decided.flatMap(({ locationId, decision }) =>
      decision.news !== null && locationId !== null ? [locationId] : [],
    );
    const neighbours = await notifiedNeighbours(context, [...new Set(concerned)]);
    const alsoAnnounced = announceNews(change, decided, neighbours, now);
    storeHealth(change, decided);
    if (alsoAnnounced.length > 0)
      change.add(sql`UPDATE ${cameraHealth} SET recovered_at = NULL
        WHERE camera_id IN (SELECT value FROM json_each(${JSON.stringify(alsoAnnounced)}))`);
    for (const one of decided) recordOutcome(context, change, one);
    return due.length < HEALTH_CHECKS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};

/** The next cameras to check, the longest due first. The rows read depend only on the cameras that are due. */
async function dueCameras({ workspace }: Context, now: number, limit: number): Promise<DueCamera[]> {
  const rows = await workspace
    .select({
      camera: cameras,
      health: cameraHealth,
      locationId: locations.id,
      mayUseCameras,
      isPaired: sql<number>`${isPaired}`,
    })
    .from(cameraHealth)
    .innerJoin(cameras, eq(cameras.id, cameraHealth.cameraId))
    .innerJoin(organizations, eq(organizations.id, cameras.organizationId))
    .leftJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .where(and(lte(cameraHealth.checkAt, now), isHere(cameras.tenantId)))
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
        lastAcceptedAt: camera.lastAcceptedAt,
      },
    };
  });
}

const isPaired: SQL = sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.cameraId} = ${cameras.id}
  AND ${cameraCredentials.revokedAt} IS NULL)`;

/** Cameras of these locations whose silence was announced, or whose recovery is not announced yet. */
async function notifiedNeighbours({ workspace }: Context, locationIds: readonly string[]): Promise<Neighbour[]> {
  if (locationIds.length === 0) return [];
  const rows = await workspace
    .select({
      id: cameras.id,
      locationId: cameras.locationId,
      intervalMinutes: cameras.captureIntervalMinutes,
      health: cameraHealth,
    })
    .from(cameras)
    .innerJoin(cameraHealth, eq(cameraHealth.cameraId, cameras.id))
    .where(
      and(inSet(cameras.locationId, locationIds), or(gt(cameraHealth.notifiedAt, 0), gt(cameraHealth.recoveredAt, 0))),
    );
  return rows.flatMap(({ locationId, ...row }) => (locationId === null ? [] : [{ ...row, locationId }]));
}

/** Announces the decisions, grouped by location. @returns cameras outside this slice that the announcements include. */
function announceNews(
  change: Change,
  decided: readonly Decided[],
  neighbours: readonly Neighbour[],
  now: number,
): string[] {
  announceSilences(change, decided, neighbours, now);
  return announceRecoveries(change, decided, neighbours, now);
}

/**
 * Announces the cameras that became silent, once for each location and cause. Cameras that follow others of the location
 * within an hour are not announced.
 */
function announceSilences(
  change: Change,
  decided: readonly Decided[],
  neighbours: readonly Neighbour[],
  now: number,
): void {
  const own = new Set(decided.map(({ camera }) => camera.id));
  const groups = groupBy(decided, ({ locationId, decision: { news, began } }) =>
    news === "silent" && began !== null ? `${locationId} ${began.cause}` : null,
  );
  for (const { locationId, tenantId, cameras } of groups.values()) {
    const cause: Silence = cameras[0]?.decision.began?.cause ?? "offline";
    const isKnown = neighbours.some(
      ({ id, locationId: at, intervalMinutes, health: { silence, notifiedAt } }) =>
        !own.has(id) &&
        at === locationId &&
        silence === cause &&
        notifiedAt !== null &&
        now < groupedUntil(notifiedAt, intervalMinutes * MINUTE),
    );
    if (isKnown) continue;
    const ids = cameras.map(({ camera }) => camera.id);
    const event = { locationId, cause, cameraIds: ids.slice(0, MAX_NAMED_CAMERAS), count: ids.length };
    change.announce({ type: "cameras-silent", ...event }, tenantId);
  }
}

/**
 * Announces the cameras that are back, once for each location: when no camera of it is silent any more, or when the first
 * one has waited long enough for the others. @returns cameras outside this slice that the announcements include.
 */
function announceRecoveries(
  change: Change,
  decided: readonly Decided[],
  neighbours: readonly Neighbour[],
  now: number,
): string[] {
  const own = new Set(decided.map(({ camera }) => camera.id));
  const alsoAnnounced: string[] = [];
  for (const group of groupBy(decided, ({ locationId, decision }) =>
    decision.news === "back" ? locationId : null,
  ).values()) {
    const { locationId, tenantId, cameras } = group;
    const others = neighbours.filter(({ id, locationId: at }) => at === locationId && !own.has(id));
    const isAwaited =
      others.some(({ health }) => health.notifiedAt !== null) ||
      decided.some((one) => one.locationId === locationId && one.decision.health.notifiedAt !== null);
    const first = Math.min(...cameras.map(({ decision }) => decision.health.recoveredAt ?? now));
    if (isAwaited && now < first + RECOVERY_GROUPING_MS) {
      for (const { decision } of cameras) {
        const { health } = decision;
        health.checkAt = Math.min(
          health.checkAt ?? Number.POSITIVE_INFINITY,
          (health.recoveredAt ?? now) + RECOVERY_GROUPING_MS,
        );
      }
      continue;
    }
    const waiting = others.filter(({ health }) => health.recoveredAt !== null).map(({ id }) => id);
    const ids = [...cameras.map(({ camera }) => camera.id), ...waiting];
    for (const { decision } of cameras) decision.health.recoveredAt = null;
    alsoAnnounced.push(...waiting);
    const event = { locationId, cameraIds: ids.slice(0, MAX_NAMED_CAMERAS), count: ids.length };
    change.announce({ type: "cameras-back", ...event }, tenantId);
  }
  return alsoAnnounced;
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

/** Guards that the facts of the decisions have not changed: an image or heartbeat may arrive at any moment. */
function requireUnchanged(change: Change, decided: readonly Decided[]): void {
  const facts = decided.map(({ camera, health }) => [
    camera.id,
    health.revision,
    camera.lastSeenAt,
    camera.lastAcceptedAt,
  ]);
  const same = sql`(SELECT count(*) FROM json_each(${JSON.stringify(facts)}) AS fact
    CROSS JOIN ${cameraHealth} ON ${cameraHealth.cameraId} = fact.value ->> 0 AND ${cameraHealth.revision} = fact.value ->> 1
    CROSS JOIN ${cameras} ON ${cameras.id} = fact.value ->> 0 AND ${cameras.lastSeenAt} IS fact.value ->> 2
      AND ${cameras.lastAcceptedAt} IS fact.value ->> 3) = ${decided.length}`;
  change.guard(same, new DomainError("unavailable", "A camera sent something in the meantime. It is checked again."));
}

/** Stores the new health of all cameras with one statement. */
function storeHealth(change: Change, decided: readonly Decided[]): void {
  const rows = decided.map(({ camera, decision: { health } }) => ({ id: camera.id, ...health }));
  change.add(sql`UPDATE ${cameraHealth} SET check_at = j.value ->> 'checkAt', watched_since = j.value ->> 'watchedSince',
      silence = j.value ->> 'silence', silent_since = j.value ->> 'silentSince', notified_at = j.value ->> 'notifiedAt',
      recovered_at = j.value ->> 'recoveredAt'
    FROM json_each(${JSON.stringify(rows)}) AS j WHERE camera_id = j.value ->> 'id'`);
}

/** Records the beginning or end of a silence as a condition, and announces it to live views. */
function recordOutcome(context: Context, change: Change, { camera, locationId, decision }: Decided): void {
  const { began, ended } = decision;
  if (ended !== null) endCondition(context, change, camera.id, ended.cause, ended.at);
  if (began !== null) {
    const detail = began.cause === "camera-fault" ? { errorCode: camera.device?.errorCode ?? null } : {};
    beginCondition(context, change, camera.id, began.cause, began.at, detail);
    const outdated = lt(cameraConditions.endedAt, context.now - camera.retentionDays * DAY);
    change.add(
      context.workspace.delete(cameraConditions).where(and(eq(cameraConditions.cameraId, camera.id), outdated)),
    );
  }
  if ((began ?? ended) !== null && locationId !== null) announceCamera(change, camera, locationId);
}
