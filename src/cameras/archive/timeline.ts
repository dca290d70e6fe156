import { asc, desc, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import type { CaptureRow } from "../find";
import { cameraCaptures } from "../tables";
import { visibleCaptures } from "../visibility";
import type { Archive } from "./archive";
import { explainGaps, type GapCause } from "./causes";
import { type Gap, largestGaps, NEIGHBOURS, SHORTEST_GAP, type Silence, TIME_BINS } from "./gaps";

export interface Timeline {
  first: CaptureRow | null;
  last: CaptureRow | null;
  /** In order of time, each with what explains it. */
  gaps: (Gap & { cause: GapCause })[];
}

const times = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));
const silences = z.array(z.object({ start: z.int(), end: z.int(), before: times, after: times }));

/**
 * First and last frame of an archive, and its gaps. The cost is that of a few thousand index seeks, whatever
 * the archive's size: two at each border of the bins find every silence that crosses one.
 */
export async function readTimeline({ db, now }: Context, archive: Archive): Promise<Timeline> {
  const { camera, locationId } = archive;
  const visible = visibleCaptures(camera, locationId, now);
  const end = (order: typeof asc) =>
    db
      .select()
      .from(cameraCaptures)
      .where(visible)
      .orderBy(order(cameraCaptures.capturedAt), order(cameraCaptures.id))
      .limit(1);
  const [[first], [last]] = await db.batch([end(asc), end(desc)]);
  if (first === undefined || last === undefined) return { first: null, last: null, gaps: [] };
  const gaps = largestGaps(await longSilences({ db, now }, archive, first.capturedAt, last.capturedAt));
  const causes = await explainGaps({ db }, archive, gaps);
  return { first, last, gaps: gaps.map((gap, i) => ({ ...gap, cause: causes[i] ?? "unknown" })) };
}

async function longSilences(
  { db, now }: Pick<Context, "db" | "now">,
  { camera, locationId }: Archive,
  first: number,
  last: number,
): Promise<Silence[]> {
  if (last - first < SHORTEST_GAP) return [];
  const visible = visibleCaptures(camera, locationId, now);
  const visibleSince = (since: SQL) => visibleCaptures(camera, locationId, now, since);
  const neighbours = (condition: SQL | undefined, order: SQL) => sql`(
    SELECT json_group_array(captured_at) FROM (
      SELECT DISTINCT captured_at FROM ${cameraCaptures} WHERE ${condition} ORDER BY captured_at ${order} LIMIT ${NEIGHBOURS}))`;
  const borders = Array.from(
    { length: TIME_BINS - 1 },
    (_, i) => first + Math.floor(((last - first) * (i + 1)) / TIME_BINS),
  );
  const rows = await db.all(sql`
    WITH silences AS MATERIALIZED (
      SELECT DISTINCT
        (SELECT max(captured_at) FROM ${cameraCaptures} WHERE ${visible} AND captured_at < value) AS start,
        (SELECT min(captured_at) FROM ${cameraCaptures} WHERE ${visibleSince(sql`value`)}) AS end
      FROM json_each(${JSON.stringify(borders)})
    )
    SELECT start, end, ${neighbours(sql`${visible} AND captured_at <= start`, sql`DESC`)} AS before,
      ${neighbours(visibleSince(sql`end`), sql`ASC`)} AS after
    FROM silences WHERE end - start >= ${SHORTEST_GAP}`);
  return silences.parse(rows);
}
