import type { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { toUtc, toUtcOrNull } from "../../platform/time";
import type { CaptureRow } from "../find";
import type { StripDay } from "./day-strip";
import { signImage } from "./link";
import { type framesSchema, presentStripDay, type stripSchema } from "./present";

/** Signs an address of each image's thumbnail, in order; null for none. The first to expire tells for all. */
async function signThumbnails(context: Context, rows: readonly (CaptureRow | null)[]) {
  const signed = await Promise.all(rows.map((row) => row && signImage(context, row, "thumbnail")));
  const ends = signed.flatMap((address) => address?.expiresAt ?? []);
  return {
    urls: signed.map((address) => address?.url ?? null),
    urlsExpireAtUtc: toUtcOrNull(ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b))),
  };
}

/** Frames with addresses that show them. */
export async function withThumbnails(
  context: Context,
  rows: readonly CaptureRow[],
): Promise<z.infer<typeof framesSchema>> {
  const { urls, urlsExpireAtUtc } = await signThumbnails(context, rows);
  const frames = rows.map((row, i) => ({
    captureId: row.id,
    capturedAtUtc: toUtc(row.capturedAt),
    thumbnailUrl: urls[i] ?? "",
  }));
  return { frames, urlsExpireAtUtc };
}

/** Days with addresses that show them. */
export async function stripWithThumbnails(
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
