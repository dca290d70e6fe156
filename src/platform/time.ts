import { z } from "@hono/zod-openapi";

export { DAY, HOUR, MINUTE, SECOND } from "./duration";

/** Milliseconds since the epoch, as the database keeps times, to the wire's ISO 8601 form. */
export const toUtc = (ms: number): string => new Date(ms).toISOString();

/** The same for a time that may be missing. */
export const toUtcOrNull = (ms: number | null | undefined): string | null => (ms == null ? null : toUtc(ms));

/** A time in an answer: ISO 8601, `Z`, milliseconds. */
export const utcSchema = z.iso.datetime({ precision: 3 }).openapi({ example: "2026-11-20T09:30:00.000Z" });

/** A time in a request: ISO 8601 with any offset; parsed to milliseconds since the epoch. */
export const instantSchema = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .openapi({ type: "string", format: "date-time", example: "2026-11-20T09:30:00.000Z" });

/** The same for a time that may be taken away; the description has to name null itself beside a given type. */
export const instantOrNullSchema = instantSchema.nullable().openapi({ type: ["string", "null"] });
