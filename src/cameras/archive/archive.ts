import { and, lte, type SQL, sql } from "drizzle-orm";
import { type CredentialRef, levelAt, READ, readerOf } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import type { DownloadChecks } from "../../platform/objects/endpoint";
import { type DownloadLink, presentDownload, type SignedDownload } from "../../platform/objects/store";
import { SECOND, toUtc } from "../../platform/time";
import { loadAccessAtLocation, locationPath } from "../../workspace";
import type { PublishedCapture } from "../captures";
import { type CaptureForm, captureKey, visibleCaptures, visibleOfJoinedCamera } from "../captures";
import { type CameraRow, requireCameraAt, requireCapture } from "../find";
import { IMAGE_ADDRESS_LIFETIME_MS } from "../limits";
import { cameraCaptures, cameras } from "../tables";

/** The images of a camera at one location. The caller's access was checked. */
export interface Archive {
  /** With `shownUntil`, later images are not visible: a share link may be limited to a time. */
  camera: CameraRow & { shownUntil?: number | null };
  locationId: string;
}

/**
 * The archive of a camera at a location, for a caller with Read of LocationCameras there.
 * @throws DomainError 401, 403, 404.
 */
export async function requireArchive(context: Context, cameraId: string, locationId: string): Promise<Archive> {
  const { camera } = await requireCameraAt(context, cameraId, locationId, READ);
  return { camera, locationId };
}

/** Whether a credential may read images of a location's cameras now. */
export async function mayReadImages(
  context: Pick<Context, "directory" | "workspace">,
  reader: CredentialRef,
  locationId: string,
): Promise<boolean> {
  const { location, held } = await loadAccessAtLocation(context, [reader], locationId, [], Date.now());
  const facts = held[0]?.facts;
  return location !== null && facts !== undefined && levelAt(facts, "LocationCameras", locationPath(location)) >= READ;
}

/** The ids of these images that are visible now. */
export async function filterVisible(
  { workspace }: Pick<Context, "workspace">,
  captureIds: readonly string[],
): Promise<Set<string>> {
  const found = await workspace
    .select({ id: cameraCaptures.id })
    .from(sql`json_each(${JSON.stringify(captureIds)}) AS wanted`)
    .crossJoin(cameraCaptures)
    .innerJoin(cameras, visibleOfJoinedCamera(Date.now()))
    .where(sql`${cameraCaptures.id} = wanted.value`);
  return new Set(found.map(({ id }) => id));
}

/** A range of an archive: capture times in milliseconds since the epoch, both included. A missing end is open. */
export interface Range {
  from?: number | undefined;
  to?: number | undefined;
}

/** SQL that selects the visible images of a range. */
export const visibleInRange = ({ camera, locationId }: Archive, now: number, { from, to }: Range): SQL | undefined =>
  and(
    visibleCaptures(camera, locationId, now, from),
    to === undefined ? undefined : lte(cameraCaptures.capturedAt, to),
  );

export const IMAGE_TYPE = "image/jpeg";

/** File name of an image: capture time in ISO 8601 basic format, then id, so that names sort by time. */
export const imageName = ({ capturedAt, id }: { capturedAt: number; id: string }): string =>
  `${toUtc(capturedAt).replace(/[-:]/g, "")}_${id}.jpg`;

/** Signs an address of an image. The caller's access was checked. */
export const signImage = (
  { objects, caller }: Pick<Context, "objects" | "caller">,
  row: PublishedCapture,
  form: CaptureForm,
): Promise<SignedDownload> => {
  const as = { fileName: imageName(row), contentType: IMAGE_TYPE };
  const disposition = form === "original" ? "attachment" : "inline";
  const access = { reader: readerOf({ caller }), kind: "capture" as const, ids: [row.id, row.cameraId] };
  return objects.signDownload(
    captureKey(row, form),
    { ...as, disposition },
    IMAGE_ADDRESS_LIFETIME_MS / SECOND,
    access,
  );
};

/**
 * An expiring address of an image or its thumbnail. Requires Read of LocationCameras at its location.
 * @throws DomainError 401, 403, 404 (the image does not exist, is hidden or deleted, or has expired).
 */
export async function captureLink(context: Context, captureId: string, form: CaptureForm): Promise<DownloadLink> {
  const { capture } = await requireCapture(context, captureId, READ);
  const stored = await context.objects.head(captureKey(capture, form));
  if (stored === null) throw notFound();
  const { sizeBytes } = stored;
  return presentDownload(await signImage(context, capture, form), sizeBytes);
}

/** The access check of addresses of images. @throws DomainError 404 */
export const captureDownloads: Pick<DownloadChecks["check"], "capture"> = {
  capture: (context, [captureId = ""]) => requireCapture(context, captureId, READ),
};
