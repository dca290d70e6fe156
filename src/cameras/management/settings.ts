import { z } from "@hono/zod-openapi";
import { DomainError } from "../../platform/errors";
import { lineSchema, textSchema } from "../../platform/http/fields";
import { orNull } from "../../platform/http/router";
import { timeZoneSchema } from "../../platform/time";
import type { CameraRow } from "../find";
import {
  MAX_INTERVAL_MINUTES,
  MAX_PICTURE_EDGE,
  MAX_PICTURE_PIXELS,
  MAX_RETENTION_DAYS,
  MIN_PICTURE_EDGE,
} from "../limits";
import { captureWindowSchema } from "../window";

/** What a camera is set to unless its maker says otherwise. */
export const DEFAULTS = {
  captureIntervalMinutes: 20,
  captureWidth: 1_920,
  captureHeight: 1_080,
  jpegQuality: 90,
  retentionDays: 30,
  timeZone: "UTC",
} as const;

const edge = z.int().min(MIN_PICTURE_EDGE).max(MAX_PICTURE_EDGE);

/** What one writes of a camera. */
export const settingsFields = {
  name: lineSchema(200).openapi({ example: "North gate" }),
  description: textSchema(4_000),
  isPaused: z.boolean().openapi({ description: "Takes no new images; what waits on the device is still uploaded." }),
  captureIntervalMinutes: z.int().min(1).max(MAX_INTERVAL_MINUTES),
  retentionDays: z
    .int()
    .min(1)
    .max(MAX_RETENTION_DAYS)
    .openapi({ description: "Days from its capture that an image is kept; the organization's entitlements limit it." }),
  captureWidth: edge.openapi({ description: `Pixels; ${MAX_PICTURE_PIXELS} in all at most.` }),
  captureHeight: edge,
  jpegQuality: z.int().min(1).max(100),
  timeZone: timeZoneSchema,
  captureWindow: orNull(captureWindowSchema).openapi({ description: "Null captures around the clock." }),
};
const settingsSchema = z.object(settingsFields);
export type CameraSettings = z.infer<typeof settingsSchema>;

/** What people set of a camera. */
export const settingsOf = (row: CameraRow): CameraSettings => ({
  name: row.name,
  description: row.description,
  isPaused: row.isPaused,
  captureIntervalMinutes: row.captureIntervalMinutes,
  retentionDays: row.retentionDays,
  captureWidth: row.captureWidth,
  captureHeight: row.captureHeight,
  jpegQuality: row.jpegQuality,
  timeZone: row.timeZone,
  captureWindow: row.captureWindow,
});

/** Refuses a picture that would not be verified. @throws DomainError rule-violated. */
export function requirePicture({ captureWidth, captureHeight }: CameraSettings): void {
  if (captureWidth * captureHeight > MAX_PICTURE_PIXELS)
    throw new DomainError("rule-violated", "A picture has 24 megapixels at most. Lower captureWidth or captureHeight.");
}

export const retentionTooLong = (most: number): DomainError =>
  new DomainError("rule-violated", `This organization keeps images for ${most} days at most. Lower retentionDays.`);
