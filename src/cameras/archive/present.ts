import { z } from "@hono/zod-openapi";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { captureSchema, presentCapture } from "../capture";
import type { CaptureRow } from "../find";
import type { Archive } from "./archive";
import { GAP_CAUSES } from "./causes";
import type { StripDay } from "./day-strip";
import type { Timeline } from "./timeline";

export const historySchema = z
  .object({ items: z.array(captureSchema), hasNextPage: z.boolean() })
  .openapi("CaptureHistory");

export const seekSchema = z.object({ capture: orNull(captureSchema) }).openapi("SoughtCapture");

const capture = (row: CaptureRow | null) => row && presentCapture(row);

export const presentSeek = (row: CaptureRow | null): z.infer<typeof seekSchema> => ({ capture: capture(row) });

const gapSchema = z
  .object({ startUtc: utcSchema, endUtc: utcSchema, cause: z.enum(GAP_CAUSES) })
  .openapi("TimelineGap");

export const timelineSchema = z
  .object({
    first: orNull(captureSchema),
    last: orNull(captureSchema),
    gaps: z.array(gapSchema).openapi({
      description: "The largest silences between two consecutive captures, at most 128, in order of time.",
    }),
    watermark: z.int().openapi({
      description:
        "Grows when an image of the camera is published or removed; at a place that it left, differs when what is told here does.",
    }),
  })
  .openapi("CameraTimeline");

/** Of a camera that moved on, its own watermark would tell here what goes on there: only what is told here counts. */
const watermarkOf = ({ camera, locationId }: Archive, told: object): number =>
  camera.locationId === locationId
    ? camera.watermark
    : [...JSON.stringify(told)].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 2 ** 32, 0);

export function presentTimeline(archive: Archive, { first, last, gaps }: Timeline): z.infer<typeof timelineSchema> {
  const told = {
    first: capture(first),
    last: capture(last),
    gaps: gaps.map(({ start, end, cause }) => ({ startUtc: toUtc(start), endUtc: toUtc(end), cause })),
  };
  return { ...told, watermark: watermarkOf(archive, told) };
}

const frameFields = { captureId: idSchema, capturedAtUtc: utcSchema };

export const framesSchema = z
  .object({
    frames: z.array(z.object({ ...frameFields, thumbnailUrl: z.string() }).openapi("CameraFrame")),
    urlsExpireAtUtc: utcSchema.nullable(),
  })
  .openapi("CameraFrames");

export const stripSchema = z
  .object({
    timeZone: z.string(),
    days: z.array(
      z
        .object({
          date: z.iso.date(),
          atUtc: utcSchema.openapi({ description: "When the clock shows the time on this day." }),
          capture: orNull(captureSchema),
          thumbnailUrl: z.string().nullable(),
        })
        .openapi("DayStripDay"),
    ),
    urlsExpireAtUtc: utcSchema.nullable(),
  })
  .openapi("DayStrip");

export const presentStripDay = ({ day, at, capture: row }: StripDay) => ({
  date: day,
  atUtc: toUtc(at),
  capture: capture(row),
});
