import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { idSchema } from "../../platform/ids";
import { instantSchema, toUtc, utcSchema } from "../../platform/time";
import { type Archive, nearestFrames, readFrames } from "../archive";
import { MOST_PREVIEWS } from "./limits";
import { readPreviews } from "./read";

export const previewsBody = z
  .strictObject({ times: z.array(instantSchema).min(1).max(MOST_PREVIEWS) })
  .openapi("TimelinePreviewsRequest");

export const previewsSchema = z
  .object({
    samples: z.array(z.object({ at: utcSchema, captureId: idSchema.nullable() })),
    images: z.array(
      z
        .object({
          captureId: idSchema,
          capturedAtUtc: utcSchema,
          width: z.int(),
          height: z.int(),
          jpegBase64: z.string(),
        })
        .openapi("TimelinePreview"),
    ),
  })
  .openapi("TimelinePreviewList");

/**
 * Tiny pictures of the frames nearest to moments, for whoever was checked: samples in the order asked for, each
 * distinct frame once. What is not visible any more when all are read is left out.
 */
export async function timelinePreviews(
  context: Context,
  archive: Archive,
  times: readonly number[],
): Promise<z.infer<typeof previewsSchema>> {
  const frames = await nearestFrames(
    context,
    archive,
    times.map((at) => ({ at })),
  );
  const ids = [...new Set(frames.flatMap((frame) => frame?.id ?? []))];
  const read = await readPreviews(context, [...(await readFrames(context, archive, ids)).values()]);
  const still = await readFrames({ db: context.db, now: Date.now() }, archive, ids);
  const images = ids.flatMap((id) => {
    const [row, jpegBase64] = [still.get(id), read.get(id)];
    if (row === undefined || jpegBase64 === undefined) return [];
    const { previewWidth: width, previewHeight: height } = row;
    return { captureId: id, capturedAtUtc: toUtc(row.capturedAt), width, height, jpegBase64 };
  });
  const shown = new Set(images.map(({ captureId }) => captureId));
  const samples = times.map((at, i) => {
    const id = frames[i]?.id;
    return { at: toUtc(at), captureId: id !== undefined && shown.has(id) ? id : null };
  });
  return { samples, images };
}
