import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { orNull } from "../../platform/http/router";
import { toUtcOrNull, utcSchema } from "../../platform/time";
import { MAX_CAPTURE_TIMES } from "../limits";
import { cameraCaptures } from "../tables";
import { type Archive, type Range, visibleInRange } from "./archive";
import { isRange, RANGE_ERROR, rangeFields } from "./present";

export const rangeQuery = z.object(rangeFields).refine(isRange, RANGE_ERROR);

export const timesSchema = z
  .object({
    firstUtc: orNull(utcSchema),
    stepsMs: z
      .array(z.int())
      .openapi({ description: "Milliseconds from each capture time to the next one, from `firstUtc` on." }),
    hasOlder: z.boolean().openapi({
      description: `The range has older captures. Request them with a \`toUtc\` one millisecond before \`firstUtc\`. A response has at most ${MAX_CAPTURE_TIMES} times, the newest ones.`,
    }),
  })
  .openapi("CaptureTimes");

const timesOfRow = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));

/** The capture times of a range in order, each once; at most `limit`, the newest. The caller's access was checked. */
export async function readTimes(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  archive: Archive,
  range: Range,
  limit = MAX_CAPTURE_TIMES,
): Promise<z.infer<typeof timesSchema>> {
  const [row] = await workspace.all<{ times: string }>(sql`SELECT json_group_array(captured_at) AS times FROM (
    SELECT DISTINCT captured_at FROM ${cameraCaptures} WHERE ${visibleInRange(archive, now, range)}
    ORDER BY captured_at DESC LIMIT ${limit + 1})`);
  const found = timesOfRow.parse(row?.times ?? "[]");
  const times = found.slice(0, limit).reverse();
  return {
    firstUtc: toUtcOrNull(times[0] ?? null),
    stepsMs: times.slice(1).map((time, i) => time - (times[i] ?? time)),
    hasOlder: found.length > limit,
  };
}
