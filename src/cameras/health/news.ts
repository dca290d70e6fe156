import type { Change } from "../../platform/db/change";
import { MINUTE } from "../../platform/time";
import { BACK_SETTLES, joinsUntil } from "./assess";
import type { Neighbour } from "./due";
import type { Silence } from "./tables";
import type { Decided } from "./watch";

/** Cameras that a notification names; it counts the others. */
const MOST_NAMED = 20;

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
    const event = { locationId, cause, cameraIds: ids.slice(0, MOST_NAMED), count: ids.length };
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
    if (isAwaited && now < first + BACK_SETTLES) {
      for (const { decision } of cameras) {
        const { health } = decision;
        health.checkAt = Math.min(health.checkAt ?? Number.POSITIVE_INFINITY, (health.backAt ?? now) + BACK_SETTLES);
      }
      continue;
    }
    const waiting = others.filter(({ health }) => health.backAt !== null).map(({ id }) => id);
    const ids = [...cameras.map(({ camera }) => camera.id), ...waiting];
    for (const { decision } of cameras) decision.health.backAt = null;
    alsoTold.push(...waiting);
    const event = { locationId, cameraIds: ids.slice(0, MOST_NAMED), count: ids.length };
    change.announce({ type: "cameras-back", ...event }, tenantId);
  }
  return alsoTold;
}

/** Announces what was decided, gathered by location. @returns cameras whose being back was told along with others'. */
export function tellNews(
  change: Change,
  decided: readonly Decided[],
  neighbours: readonly Neighbour[],
  now: number,
): string[] {
  tellSilent(change, decided, neighbours, now);
  return tellBack(change, decided, neighbours, now);
}
