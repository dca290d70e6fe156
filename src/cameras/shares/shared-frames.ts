import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { type Archive, evenFrames, isRange, NO_RANGE, rangeFields } from "../archive";

/** Frames that a stranger's call chooses: a short film; each picture is a request of its own. */
const MOST_SHARED_FRAMES = 200;

export const sharedFramesQuery = z
  .object({ ...rangeFields, count: z.coerce.number().int().min(1).max(MOST_SHARED_FRAMES) })
  .refine(isRange, NO_RANGE);

export const sharedFramesSchema = z
  .object({
    frames: z.array(
      z
        .object({
          captureId: idSchema,
          capturedAtUtc: utcSchema,
          thumbnailUrl: z.string().openapi({ description: "Ask for it with X-Camera-Share, as for this." }),
        })
        .openapi("SharedFrame"),
    ),
  })
  .openapi("SharedFrames");

/** Evenly chosen frames of an archive for somebody who was let in. */
export async function sharedFrames(
  context: Context,
  archive: Archive,
  { fromUtc: from, toUtc: to, count }: z.infer<typeof sharedFramesQuery>,
): Promise<z.infer<typeof sharedFramesSchema>> {
  const rows = await evenFrames(context, archive, { from, to }, count);
  return {
    frames: rows.map(({ id, capturedAt }) => ({
      captureId: id,
      capturedAtUtc: toUtc(capturedAt),
      thumbnailUrl: `/v1/shared-cameras/captures/${id}/image?thumbnail=true`,
    })),
  };
}
