import type { Context } from "../../context";
import { type Cause, causesWithin, conditionsBetween } from "../health";
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

/** Why each gap of a camera is there, as far as it is remembered, in the order of the gaps. */
export async function explainGaps(
  { db }: Pick<Context, "db">,
  camera: { id: string },
  gaps: readonly Gap[],
): Promise<GapCause[]> {
  const [first, last] = [gaps[0], gaps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const conditions = await conditionsBetween(db, camera, first.start, last.end);
  return gaps.map((gap) => causeOf(gap, causesWithin(conditions, gap.start, gap.end)));
}
