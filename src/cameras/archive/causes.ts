import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { type Cause, causesWithin, conditionsBetween } from "../health";
import { cameraAssignments } from "../tables";
import type { Archive } from "./archive";
import type { Gap } from "./gaps";

export const GAP_CAUSES = ["paused", "outside-window", "offline", "camera-fault", "unknown"] as const;
export type GapCause = (typeof GAP_CAUSES)[number];

/** What a cause must explain of a gap to be told, as a share of its length. */
const MOST_OF_IT = 0.5;

/** The kind that explains the most of a gap; unknown where none explains at least half of it. */
export function causeOf({ start, end }: Gap, causes: readonly Cause[]): GapCause {
  const explained = new Map<GapCause, number>();
  for (const { kind, fromMs, toMs } of causes)
    explained.set(kind, (explained.get(kind) ?? 0) + Math.min(toMs, end) - Math.max(fromMs, start));
  const [most] = [...explained].sort(([, a], [, b]) => b - a);
  return most !== undefined && most[1] >= MOST_OF_IT * (end - start) ? most[0] : "unknown";
}

/** When a camera stood at a location. */
async function staysAt({ db }: Pick<Context, "db">, { camera, locationId }: Archive) {
  const there = and(eq(cameraAssignments.cameraId, camera.id), eq(cameraAssignments.locationId, locationId));
  return db
    .select({ startedAt: cameraAssignments.startedAt, endedAt: cameraAssignments.endedAt })
    .from(cameraAssignments)
    .where(there);
}

/** Why each gap of an archive is there, as far as it is remembered and was so at its location, in the order of the gaps. */
export async function explainGaps(
  context: Pick<Context, "db">,
  archive: Archive,
  gaps: readonly Gap[],
): Promise<GapCause[]> {
  const [first, last] = [gaps[0], gaps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const conditions = await conditionsBetween(context.db, archive.camera, first.start, last.end);
  const stays = await staysAt(context, archive);
  return gaps.map((gap) =>
    causeOf(
      gap,
      stays.flatMap(({ startedAt, endedAt }) =>
        causesWithin(conditions, Math.max(gap.start, startedAt), Math.min(gap.end, endedAt ?? gap.end)),
      ),
    ),
  );
}
