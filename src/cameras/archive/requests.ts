import { z } from "@hono/zod-openapi";
import { idSchema } from "../../platform/ids";
import { clockTimeSchema, dayCount, localDaySchema, timeZoneSchema } from "../../platform/local-time";
import { instantSchema } from "../../platform/time";
import { MOST_DAYS } from "./day-strip";
import { MOST_FRAMES } from "./frames";
import { DEFAULT_HISTORY, LARGEST_HISTORY } from "./history";
import { DIRECTIONS, type Seek } from "./seek";

/* What may be asked of an archive. Those with a share link ask the same, without the location. */

export const cameraParams = z.object({ cameraId: idSchema });
export const locationQuery = z.object({ locationId: idSchema });

export const historyQuery = z
  .object({
    before: instantSchema.optional().openapi({ description: "`capturedAtUtc` of the last item so far." }),
    beforeId: idSchema.optional().openapi({ description: "`id` of that item." }),
    limit: z.coerce.number().int().min(1).max(LARGEST_HISTORY).default(DEFAULT_HISTORY),
  })
  .refine(({ before, beforeId }) => beforeId === undefined || before !== undefined, {
    path: ["before"],
    message: "must come with beforeId",
  });

export const seekQuery = z
  .object({
    at: instantSchema,
    direction: z.enum(DIRECTIONS).default("nearest"),
    captureId: idSchema.optional().openapi({ description: "With older or newer: the capture at `at` to step from." }),
  })
  .refine(({ direction, captureId }) => direction === "nearest" || captureId !== undefined, {
    path: ["captureId"],
    message: "must come with this direction",
  });

/** What a query asks for. */
export const seekOf = ({ at, direction, captureId }: Omit<z.infer<typeof seekQuery>, "locationId">): Seek =>
  direction === "nearest" || captureId === undefined ? { direction: "nearest", at } : { direction, at, captureId };

/** Ends of a range, both included, in a body or query; refine it by `isRange`. */
export const rangeFields = { fromUtc: instantSchema.optional(), toUtc: instantSchema.optional() };

export const isRange = ({ fromUtc, toUtc }: { fromUtc?: number | undefined; toUtc?: number | undefined }): boolean =>
  fromUtc === undefined || toUtc === undefined || fromUtc <= toUtc;
export const NO_RANGE: { path: string[]; message: string } = {
  path: ["toUtc"],
  message: "must not be before fromUtc",
};

export const framesQuery = z
  .object({
    ...rangeFields,
    count: z.coerce.number().int().min(1).max(MOST_FRAMES),
  })
  .refine(isRange, NO_RANGE);

export const stripBody = z
  .strictObject({
    fromDate: localDaySchema,
    toDate: localDaySchema,
    localTime: clockTimeSchema,
    timeZone: timeZoneSchema.optional().openapi({ description: "The camera's own at this location unless said." }),
  })
  .refine(({ fromDate, toDate }) => dayCount(fromDate, toDate) >= 1, {
    path: ["toDate"],
    message: "must not be before fromDate",
  })
  .refine(({ fromDate, toDate }) => dayCount(fromDate, toDate) <= MOST_DAYS, {
    path: ["toDate"],
    message: `must be within ${MOST_DAYS} days`,
  })
  .openapi("DayStripRequest");
