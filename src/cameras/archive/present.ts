import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { numberSchema } from "../../platform/http/fields";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import {
  clockTimeSchema,
  dayCount,
  instantSchema,
  localDaySchema,
  timeZoneSchema,
  toUtc,
  toUtcOrNull,
  utcSchema,
} from "../../platform/time";
import {
  captureSchema,
  type PresentedCapture,
  type PublishedCapture,
  presentCapture,
  sharedCaptureSchema,
} from "../captures";
import { DEFAULT_HISTORY_PAGE_SIZE, MAX_FRAMES, MAX_HISTORY_PAGE_SIZE, MAX_STRIP_DAYS } from "../limits";
import { type Archive, signImage } from "./archive";
import type { StripDay } from "./frames";
import { DIRECTIONS, type Seek } from "./seek";
import { GAP_CAUSES, type Timeline } from "./timeline";

export const historySchema = z
  .object({ items: z.array(captureSchema), hasNextPage: z.boolean() })
  .openapi("CaptureList");

export const seekSchema = z.object({ capture: orNull(captureSchema) }).openapi("CaptureSeekResult");

const capture = (row: PresentedCapture | null) => row && presentCapture(row);

export const sharedSeekSchema = z.object({ capture: orNull(sharedCaptureSchema) }).openapi("SharedCaptureSeekResult");

export const presentSeek = (row: PresentedCapture | null): z.infer<typeof seekSchema> => ({ capture: capture(row) });

export const gapSchema = z
  .object({ startUtc: utcSchema, endUtc: utcSchema, cause: z.enum(GAP_CAUSES) })
  .openapi("TimelineGap");

const timelineFields = {
  gaps: z.array(gapSchema).openapi({
    description: "The 128 largest gaps between two consecutive captures, in order of time.",
  }),
  openGap: orNull(gapSchema).openapi({
    description:
      "The time from the last capture until the service read the timeline, at most 30 seconds ago, if it lasts three intervals and half an hour. Null for a range, for a retired camera, at a location that the camera left, and after the time of a share link.",
  }),
  watermark: z.int().openapi({
    description:
      "Changes when captures or gaps between them may have changed. It grows when an image of the camera is published or removed. At a location that the camera left, it is a hash of them.",
  }),
};

export const timelineSchema = z
  .object({ first: orNull(captureSchema), last: orNull(captureSchema), ...timelineFields })
  .openapi("CameraTimeline");
/** The same with the images of a share link. */
export const sharedTimelineSchema = z
  .object({ first: orNull(sharedCaptureSchema), last: orNull(sharedCaptureSchema), ...timelineFields })
  .openapi("SharedCameraTimeline");

/** A gap on the wire. */
export const presentGap = ({ start, end, cause }: Timeline["gaps"][number]): z.infer<typeof gapSchema> => ({
  startUtc: toUtc(start),
  endUtc: toUtc(end),
  cause,
});

/**
 * A camera's watermark would reveal activity at the new location after it moved, and outside the time of a share link. There
 * it is computed from the response.
 */
const watermarkOf = ({ camera, locationId }: Archive, told: object): number =>
  camera.locationId === locationId && camera.shownUntil == null
    ? camera.watermark
    : [...JSON.stringify(told)].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 2 ** 32, 0);

/** A timeline on the wire. `present` gives the form of its images. */
export function presentTimeline<Presented>(
  archive: Archive,
  { first, last, gaps, openGap }: Timeline,
  present: (row: PresentedCapture) => Presented,
) {
  const told = {
    first: first && present(first),
    last: last && present(last),
    gaps: gaps.map(presentGap),
  };
  return { ...told, openGap: openGap && presentGap(openGap), watermark: watermarkOf(archive, told) };
}

const frameFields = { captureId: idSchema, capturedAtUtc: utcSchema };

export const framesSchema = z
  .object({
    frames: z.array(z.object({ ...frameFields, thumbnailUrl: z.string() }).openapi("CameraFrame")),
    urlsExpireAtUtc: utcSchema.nullable(),
  })
  .openapi("CameraFrameList");

export const stripSchema = z
  .object({
    timeZone: z.string(),
    days: z.array(
      z
        .object({
          date: z.iso.date(),
          atUtc: utcSchema.openapi({
            description: "The moment at which local clocks show the requested time on this day.",
          }),
          capture: orNull(captureSchema),
          thumbnailUrl: z.string().nullable(),
        })
        .openapi("DayStripDay"),
    ),
    urlsExpireAtUtc: utcSchema.nullable(),
  })
  .openapi("DayStrip");

const presentStripDay = ({ day, at, capture: row }: StripDay) => ({
  date: day,
  atUtc: toUtc(at),
  capture: capture(row),
});

/* Queries of an archive. Requests with a share link use the same ones without the location. */

export const cameraParams = z.object({ cameraId: idSchema });
export const locationQuery = z.object({ locationId: idSchema });

export const historyQuery = z
  .object({
    before: instantSchema.optional().openapi({ description: "`capturedAtUtc` of the last item of the previous page." }),
    beforeId: idSchema.optional().openapi({ description: "`id` of that item." }),
    limit: numberSchema(1, MAX_HISTORY_PAGE_SIZE).default(DEFAULT_HISTORY_PAGE_SIZE),
  })
  .refine(({ before, beforeId }) => beforeId === undefined || before !== undefined, {
    path: ["before"],
    message: "must come with beforeId",
  });

export const seekQuery = z
  .object({
    at: instantSchema,
    direction: z.enum(DIRECTIONS).default("nearest"),
    captureId: idSchema
      .optional()
      .openapi({ description: "Required with `older` and `newer`: the capture at `at` from which to step." }),
  })
  .refine(({ direction, captureId }) => direction === "nearest" || captureId !== undefined, {
    path: ["captureId"],
    message: "must come with this direction",
  });

/** The search that a query describes. */
export const seekOf = ({ at, direction, captureId }: Omit<z.infer<typeof seekQuery>, "locationId">): Seek =>
  direction === "nearest" || captureId === undefined ? { direction: "nearest", at } : { direction, at, captureId };

/** The ends of a range, both included, in a body or query. Refine the schema with `isRange`. */
export const rangeFields = { fromUtc: instantSchema.optional(), toUtc: instantSchema.optional() };

export const isRange = ({ fromUtc, toUtc }: { fromUtc?: number | undefined; toUtc?: number | undefined }): boolean =>
  fromUtc === undefined || toUtc === undefined || fromUtc <= toUtc;
export const RANGE_ERROR: { path: string[]; message: string } = {
  path: ["toUtc"],
  message: "must not be before fromUtc",
};

export const framesQuery = z
  .object({
    ...rangeFields,
    count: numberSchema(1, MAX_FRAMES),
  })
  .refine(isRange, RANGE_ERROR);

export const stripBody = z
  .strictObject({
    fromDate: localDaySchema,
    toDate: localDaySchema,
    localTime: clockTimeSchema,
    timeZone: timeZoneSchema.optional().openapi({ description: "Default: the camera's time zone at this location." }),
  })
  .refine(({ fromDate, toDate }) => dayCount(fromDate, toDate) >= 1, {
    path: ["toDate"],
    message: "must not be before fromDate",
  })
  .refine(({ fromDate, toDate }) => dayCount(fromDate, toDate) <= MAX_STRIP_DAYS, {
    path: ["toDate"],
    message: `must be within ${MAX_STRIP_DAYS} days`,
  })
  .openapi("DayStripRequest");

/** Signs the thumbnail address of each image, in order; null for null. The earliest expiry counts for all. */
async function signThumbnails(context: Context, rows: readonly (PublishedCapture | null)[]) {
  const signed = await Promise.all(rows.map((row) => row && signImage(context, row, "thumbnail")));
  const ends = signed.flatMap((address) => address?.expiresAt ?? []);
  return {
    urls: signed.map((address) => address?.url ?? null),
    urlsExpireAtUtc: toUtcOrNull(ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b))),
  };
}

/** Frames on the wire, with addresses of their thumbnails. */
export async function presentFrames(
  context: Context,
  rows: readonly PublishedCapture[],
): Promise<z.infer<typeof framesSchema>> {
  const { urls, urlsExpireAtUtc } = await signThumbnails(context, rows);
  const frames = rows.map((row, i) => ({
    captureId: row.id,
    capturedAtUtc: toUtc(row.capturedAt),
    thumbnailUrl: urls[i] ?? "",
  }));
  return { frames, urlsExpireAtUtc };
}

/** Days on the wire, with addresses of their thumbnails. */
export async function presentStrip(
  context: Context,
  timeZone: string,
  days: readonly StripDay[],
): Promise<z.infer<typeof stripSchema>> {
  const { urls, urlsExpireAtUtc } = await signThumbnails(
    context,
    days.map(({ capture }) => capture),
  );
  return {
    timeZone,
    days: days.map((day, i) => ({ ...presentStripDay(day), thumbnailUrl: urls[i] ?? null })),
    urlsExpireAtUtc,
  };
}
