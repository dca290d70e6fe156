import { z } from "@hono/zod-openapi";

const clockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a local time such as 07:00")
  .openapi({ example: "07:00" });

/** Days on which a capture window begins, as ISO 8601 numbers them: 1 is Monday. */
const daysOfWeek = z
  .array(z.int().min(1).max(7))
  .min(1)
  .max(7)
  .refine((days) => new Set(days).size === days.length, "must name each day once");

/** The times at which a camera takes images, in its own time zone. An `end` before its `start` is on the next day. */
export const captureWindowSchema = z
  .strictObject({ start: clockTime, end: clockTime, daysOfWeek: daysOfWeek.optional() })
  .refine(({ start, end }) => start !== end, "must not begin and end at the same time")
  .openapi("CaptureWindow", { example: { start: "07:00", end: "19:00", daysOfWeek: [1, 2, 3, 4, 5] } });

export type CaptureWindow = z.infer<typeof captureWindowSchema>;
