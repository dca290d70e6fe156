import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { notFound } from "../../platform/errors";
import { captureKey } from "../keys";
import { cameraCaptures, cameras } from "../tables";
import { visibleOfJoinedCamera } from "../visibility";
import { requireOpenShare } from "./authenticate";

/** An image as it is sent: bytes, never an address of the store. */
export interface SharedImage {
  body: ReadableStream<Uint8Array>;
  sizeBytes: number;
  fileName: string;
}

/**
 * The bytes of an image that a link shows, or of its thumbnail. Whatever is not visible through the
 * link now is absent. @throws DomainError 404.
 */
export async function openSharedImage(context: Context, captureId: string, thumbnail: boolean): Promise<SharedImage> {
  const { locationId, cameraIds } = requireOpenShare(context);
  const [found] = await context.db
    .select({ capture: cameraCaptures })
    .from(cameraCaptures)
    .innerJoin(cameras, eq(cameras.id, cameraCaptures.cameraId))
    .where(
      and(
        eq(cameraCaptures.id, captureId),
        eq(cameraCaptures.locationId, locationId),
        inSet(cameraCaptures.cameraId, cameraIds),
        visibleOfJoinedCamera(context.now),
      ),
    );
  if (found === undefined) throw notFound();
  const object = await context.objects.read(captureKey(found.capture, thumbnail ? "thumbnail" : "original"));
  if (object === null) throw notFound();
  const time = new Date(found.capture.capturedAt).toISOString().replaceAll(/[:.]/g, "-");
  return { body: object.body, sizeBytes: object.sizeBytes, fileName: `${time}.jpg` };
}
