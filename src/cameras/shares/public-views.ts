import { z } from "@hono/zod-openapi";
import { and, asc, eq, gte, lte } from "drizzle-orm";
import { openShareLogo, readShareBrand } from "../../branding";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { notFound } from "../../platform/errors";
import { numberSchema } from "../../platform/http/fields";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { withoutMetadata } from "../../platform/jpeg";
import { decodeAlone, inPieces } from "../../platform/pace";
import { toUtc, utcSchema } from "../../platform/time";
import { type Archive, evenCaptures, IMAGE_TYPE, isRange, RANGE_ERROR, rangeFields } from "../archive";
import { captureKey, visibleOfJoinedCamera } from "../captures";
import { findCameraAt } from "../find";
import { MAX_SHARED_FRAMES } from "../limits";
import { latestOfTime, type sharedLatestSchema } from "../previews";
import { archiveFields, archiveSettingsOf, withArchiveSettings } from "../settings";
import { cameraAssignments, cameraCaptures, cameras } from "../tables";
import { camerasStillShared, requireOpenShare } from "./authenticate";

export const sharedCamerasSchema = z
  .object({
    name: z.string(),
    revision: z.int(),
    brand: orNull(
      z
        .object({
          name: z.string(),
          primaryColor: z.string().nullable(),
          hasLogo: z.boolean().openapi({ description: "Whether `GET /v1/shared-cameras/logo` gives a picture." }),
          revision: z.int().openapi({ description: "Changes when the logo changes." }),
        })
        .openapi("SharedBrand"),
    ).openapi({ description: "Null unless the organization shows its brand on share links." }),
    cameras: z.array(z.object({ id: idSchema, ...archiveFields })),
  })
  .openapi("SharedCameraList");

/** A link's name and its cameras, in the order of the link, with the organization's brand. @throws DomainError 404. */
export async function listSharedCameras(context: Context): Promise<z.infer<typeof sharedCamerasSchema>> {
  const { name, revision, organizationId, locationId, cameraIds } = requireOpenShare(context);
  const [brand, found] = await Promise.all([
    readShareBrand(context, organizationId),
    context.workspace
      .select({ camera: cameras, assignment: cameraAssignments })
      .from(cameraAssignments)
      .innerJoin(cameras, eq(cameras.id, cameraAssignments.cameraId))
      .where(and(eq(cameraAssignments.locationId, locationId), inSet(cameraAssignments.cameraId, cameraIds)))
      .orderBy(asc(cameraAssignments.generation)),
  ]);
  // For a camera with several assignments to the location, the last one counts.
  const byId = new Map(
    found.map(({ camera, assignment }) => [
      camera.id,
      { id: camera.id, ...archiveSettingsOf(withArchiveSettings(camera, assignment)) },
    ]),
  );
  return { name, revision, brand, cameras: cameraIds.flatMap((id) => byId.get(id) ?? []) };
}

/**
 * Previews of the latest images of cameras, in the given order. A camera without a visible image, or of another link,
 * gets null.
 * @throws DomainError 404.
 */
export async function sharedLatest(
  context: Context,
  asked: readonly string[],
): Promise<z.infer<typeof sharedLatestSchema>> {
  const share = requireOpenShare(context);
  const ofLink = asked.filter((id) => share.cameraIds.includes(id));
  const latest = await latestOfTime(context, share.locationId, ofLink, share);
  const shown = await camerasStillShared(context, share);
  if (shown.length === 0) throw notFound();
  return {
    items: asked.map((cameraId) => ({
      cameraId,
      preview: (shown.includes(cameraId) && latest.get(cameraId)) || null,
    })),
  };
}

/** The archive of a camera that this request's link shows, at the link's location. @throws DomainError 404. */
export async function requireSharedArchive(context: Context, cameraId: string): Promise<Archive> {
  const { locationId, cameraIds, shownFrom, shownUntil } = requireOpenShare(context);
  if (!cameraIds.includes(cameraId)) throw notFound();
  const camera = await findCameraAt(context, cameraId, locationId);
  if (camera === null) throw notFound();
  // For the visitor, images before the link's time have expired.
  const expiredUntil = Math.max(camera.expiredUntil, (shownFrom ?? 0) - 1);
  return { camera: { ...camera, expiredUntil, shownUntil }, locationId };
}

export const sharedFramesQuery = z
  .object({ ...rangeFields, count: numberSchema(1, MAX_SHARED_FRAMES) })
  .refine(isRange, RANGE_ERROR);

export const sharedFramesSchema = z
  .object({
    frames: z.array(
      z
        .object({
          captureId: idSchema,
          capturedAtUtc: utcSchema,
          thumbnailUrl: z.string().openapi({ description: "Send X-Camera-Share with the request for it." }),
        })
        .openapi("SharedFrame"),
    ),
  })
  .openapi("SharedFrameList");

/** Evenly chosen frames of an archive, for a request with a share link. */
export async function sharedFrames(
  context: Context,
  archive: Archive,
  { fromUtc: from, toUtc: to, count }: z.infer<typeof sharedFramesQuery>,
): Promise<z.infer<typeof sharedFramesSchema>> {
  const rows = await evenCaptures(context, archive, { from, to }, count);
  return {
    frames: rows.map(({ id, capturedAt }) => ({
      captureId: id,
      capturedAtUtc: toUtc(capturedAt),
      thumbnailUrl: `/v1/shared-cameras/captures/${id}/image?thumbnail=true`,
    })),
  };
}

/** An image for a response: its bytes, never an address of the object store. */
export interface SharedImage {
  body: ReadableStream<Uint8Array>;
  sizeBytes: number;
  contentType: string;
  fileName: string;
}

/** The logo of the link's organization. @throws DomainError 404: also unless the organization shows it on share links. */
export async function openSharedLogo(context: Context): Promise<SharedImage> {
  const logo = await openShareLogo(context, requireOpenShare(context).organizationId);
  if (logo === null) throw notFound();
  return { ...logo, fileName: logo.contentType === "image/png" ? "logo.png" : "logo.jpg" };
}

/**
 * The bytes of an image that a link shows, or of its thumbnail. Answers 404 for images that are not visible through the
 * link now.
 * @throws DomainError 404.
 */
export async function openSharedImage(context: Context, captureId: string, thumbnail: boolean): Promise<SharedImage> {
  const { locationId, cameraIds, shownFrom, shownUntil, hidesMetadata } = requireOpenShare(context);
  const [found] = await context.workspace
    .select({ capture: cameraCaptures })
    .from(cameraCaptures)
    .innerJoin(cameras, eq(cameras.id, cameraCaptures.cameraId))
    .where(
      and(
        eq(cameraCaptures.id, captureId),
        eq(cameraCaptures.locationId, locationId),
        inSet(cameraCaptures.cameraId, cameraIds),
        visibleOfJoinedCamera(context.now),
        shownFrom === null ? undefined : gte(cameraCaptures.capturedAt, shownFrom),
        shownUntil === null ? undefined : lte(cameraCaptures.capturedAt, shownUntil),
      ),
    );
  if (found === undefined) throw notFound();
  const object = await context.objects.read(captureKey(found.capture, thumbnail ? "thumbnail" : "original"));
  if (object === null) throw notFound();
  const time = new Date(found.capture.capturedAt).toISOString().replaceAll(/[:.]/g, "-");
  const as = { contentType: IMAGE_TYPE, fileName: `${time}.jpg` };
  // The service made the thumbnails, without metadata.
  if (!hidesMetadata || thumbnail) return { body: object.body, sizeBytes: object.sizeBytes, ...as };
  const bare = await decodeAlone(async () =>
    inPieces(withoutMetadata(new Uint8Array(await new Response(object.body).arrayBuffer()))),
  );
  return {
    body: new Blob(bare).stream(),
    sizeBytes: bare.reduce((sum, { length }) => sum + length, 0),
    ...as,
  };
}
