import { z } from "@hono/zod-openapi";
import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import { credentialRefOf, READ, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { notFound } from "../../platform/errors";
import { InstanceLimiter, networkOf } from "../../platform/http/rate-limit";
import { orNull } from "../../platform/http/router";
import { idSchema, NIL_ID } from "../../platform/ids";
import { embeddedPreview, embeddedPreviewEnd } from "../../platform/jpeg";
import { instantSchema, toUtc, utcSchema } from "../../platform/time";
import { requireLocation } from "../../workspace";
import { type Archive, filterVisible, mayReadImages, nearestCaptures, readCaptures, signImage } from "../archive";
import type { PublishedCapture } from "../captures";
import { captureKey, captureSchema, presentCapture, visibleOfJoinedCamera } from "../captures";
import { MAX_CONCURRENT_PREVIEW_READS, MAX_PREVIEW_BYTES, MAX_PREVIEWS, PREVIEW_REQUESTS_PER_NETWORK } from "../limits";
import { cameraCaptures, cameras } from "../tables";

const requestLimiter = new InstanceLimiter("previews", PREVIEW_REQUESTS_PER_NETWORK);

/** Counts one request for previews against the caller's network. @throws DomainError rate-limited. */
export const limitPreviewRequests = (context: Pick<Context, "origin" | "now" | "counted">): void =>
  requestLimiter.consume(context, networkOf(context.origin?.ip ?? "unknown"));

/** The first bytes of a thumbnail, which contain the preview. */
const FIRST_BYTES = { offset: 0, length: embeddedPreviewEnd(MAX_PREVIEW_BYTES) };

/** The preview of an image as base64, or null when its bytes were deleted. */
async function readPreview({ objects }: Pick<Context, "objects">, row: PublishedCapture): Promise<string | null> {
  const found = await objects.read(captureKey(row, "thumbnail"), FIRST_BYTES);
  if (found === null) return null;
  return embeddedPreview(new Uint8Array(await new Response(found.body).arrayBuffer()))?.toBase64() ?? null;
}

/** The previews of images by image id. Previews whose bytes were deleted are left out. */
async function readPreviews(
  context: Pick<Context, "objects">,
  rows: readonly PublishedCapture[],
): Promise<Map<string, string>> {
  const read = new Map<string, string>();
  const waiting = rows.values();
  const worker = async () => {
    for (const row of waiting) {
      const jpegBase64 = await readPreview(context, row);
      if (jpegBase64 !== null) read.set(row.id, jpegBase64);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_PREVIEW_READS, rows.length) }, worker));
  return read;
}

export const previewsBody = z
  .strictObject({ times: z.array(instantSchema).min(1).max(MAX_PREVIEWS) })
  .openapi("TimelinePreviewsRequest");

const previewSchema = z
  .object({
    captureId: idSchema,
    capturedAtUtc: utcSchema,
    width: z.int(),
    height: z.int(),
    jpegBase64: z.string(),
  })
  .openapi("TimelinePreview");

const presentPreview = (row: PublishedCapture, jpegBase64: string): z.infer<typeof previewSchema> => ({
  captureId: row.id,
  capturedAtUtc: toUtc(row.capturedAt),
  width: row.previewWidth,
  height: row.previewHeight,
  jpegBase64,
});

export const previewsSchema = z
  .object({
    samples: z.array(z.object({ at: utcSchema, captureId: idSchema.nullable() })),
    images: z.array(previewSchema),
  })
  .openapi("TimelinePreviewList");

/**
 * Previews of the captures nearest to given times: a sample for each time, in the given order, and each distinct capture once.
 * Captures that are no longer visible after all were read are left out. The caller's access was checked.
 */
export async function timelinePreviews(
  context: Context,
  archive: Archive,
  times: readonly number[],
): Promise<z.infer<typeof previewsSchema>> {
  const captures = await nearestCaptures(
    context,
    archive,
    times.map((at) => ({ at })),
  );
  const ids = [...new Set(captures.flatMap((capture) => capture?.id ?? []))];
  const read = await readPreviews(context, [...(await readCaptures(context, archive, ids)).values()]);
  const visible = await readCaptures({ workspace: context.workspace, now: Date.now() }, archive, ids);
  const images = ids.flatMap((id) => {
    const [row, jpegBase64] = [visible.get(id), read.get(id)];
    return row === undefined || jpegBase64 === undefined ? [] : presentPreview(row, jpegBase64);
  });
  const shown = new Set(images.map(({ captureId }) => captureId));
  const samples = times.map((at, i) => {
    const id = captures[i]?.id;
    return { at: toUtc(at), captureId: id !== undefined && shown.has(id) ? id : null };
  });
  return { samples, images };
}

export const latestBody = z
  .strictObject({
    cameraIds: z
      .array(idSchema)
      .min(1)
      .max(MAX_PREVIEWS)
      .refine((ids) => new Set(ids).size === ids.length, "must name each camera once")
      .refine((ids) => !ids.includes(NIL_ID), "must not contain the nil UUID"),
  })
  .openapi("LatestPreviewsRequest");

export const latestSchema = z
  .object({
    items: z.array(
      z
        .object({
          cameraId: idSchema,
          capture: orNull(captureSchema),
          jpegBase64: z.string().nullable(),
          thumbnailUrl: z.string().nullable(),
        })
        .openapi("LatestPreview"),
    ),
  })
  .openapi("LatestPreviewList");

/** The period whose images are shown, milliseconds since the epoch, including both ends. */
interface ShownTime {
  shownFrom: number | null;
  shownUntil: number | null;
}

const ALL_TIME: ShownTime = { shownFrom: null, shownUntil: null };

/** SQL for the id of a camera's newest image at a location, by capture time, then id. */
const newestAt = (locationId: string, until: number | null): SQL =>
  sql`(SELECT c.id FROM ${cameraCaptures} AS c WHERE c.camera_id = ${cameras.id}
  AND c.location_id = ${locationId} ${until === null ? sql`` : sql`AND c.captured_at <= ${until}`}
  ORDER BY c.captured_at DESC, c.id DESC LIMIT 1)`;

async function latestImages(
  { workspace, now }: Context,
  locationId: string,
  cameraIds: readonly string[],
  { shownFrom, shownUntil }: ShownTime,
) {
  const rows = await workspace
    .select({ capture: cameraCaptures })
    .from(cameras)
    .innerJoin(cameraCaptures, and(eq(cameraCaptures.id, newestAt(locationId, shownUntil)), visibleOfJoinedCamera(now)))
    .where(
      and(inSet(cameras.id, cameraIds), shownFrom === null ? undefined : gte(cameraCaptures.capturedAt, shownFrom)),
    );
  return rows.map(({ capture }) => capture);
}

/**
 * The latest image of each camera at a location with its preview, by camera id. Images that are no longer visible after
 * all were read are left out. The caller checks the access, after this too: it may have ended while previews were read.
 */
async function readLatest(
  context: Context,
  locationId: string,
  cameraIds: readonly string[],
  time = ALL_TIME,
): Promise<Map<string, { row: PublishedCapture; jpegBase64: string }>> {
  const latest = await latestImages(context, locationId, cameraIds, time);
  const read = await readPreviews(context, latest);
  const visible = await filterVisible(
    context,
    latest.map(({ id }) => id),
  );
  return new Map(
    latest.flatMap((row) => {
      const jpegBase64 = read.get(row.id);
      return jpegBase64 === undefined || !visible.has(row.id) ? [] : [[row.cameraId, { row, jpegBase64 }] as const];
    }),
  );
}

/**
 * The latest image of each camera at a location, in the given order: its preview and an address of its thumbnail. A camera
 * that does not exist, was never at the location or has no visible image gets nulls.
 * @throws DomainError 401, 403, 404.
 */
export async function latestPreviews(
  context: Context,
  locationId: string,
  cameraIds: readonly string[],
): Promise<z.infer<typeof latestSchema>> {
  await requireLocation(context, locationId, "LocationCameras", READ);
  const latest = await readLatest(context, locationId, cameraIds);
  if (!(await mayReadImages(context, credentialRefOf(requireUser(context)), locationId))) throw notFound();
  const items = cameraIds.map(async (cameraId) => {
    const found = latest.get(cameraId);
    if (found === undefined) return { cameraId, capture: null, jpegBase64: null, thumbnailUrl: null };
    const { row, jpegBase64 } = found;
    const { url } = await signImage(context, row, "thumbnail");
    return { cameraId, capture: presentCapture(row), jpegBase64, thumbnailUrl: url };
  });
  return { items: await Promise.all(items) };
}

export const sharedLatestSchema = z
  .object({
    items: z.array(z.object({ cameraId: idSchema, preview: orNull(previewSchema) }).openapi("SharedLatestPreview")),
  })
  .openapi("SharedLatestPreviewList");

/** The previews of the latest images of cameras by camera id, for a share link. The caller checks the link. */
export async function latestOfTime(
  context: Context,
  locationId: string,
  cameraIds: readonly string[],
  time: ShownTime,
): Promise<Map<string, z.infer<typeof previewSchema>>> {
  const latest = await readLatest(context, locationId, cameraIds, time);
  return new Map([...latest].map(([cameraId, { row, jpegBase64 }]) => [cameraId, presentPreview(row, jpegBase64)]));
}
