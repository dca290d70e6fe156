import { READ } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { type DownloadLink, presentDownload } from "../../platform/objects/link";
import type { SignedDownload } from "../../platform/objects/store";
import { MINUTE, SECOND, toUtc } from "../../platform/time";
import { type CaptureRow, requireCapture } from "../find";
import { type CaptureForm, captureKey } from "../keys";

/** How long an image's address lives: the permission behind it is asked once, when it is made. */
const LINK_LIFETIME = 5 * MINUTE;
export const IMAGE_TYPE = "image/jpeg";

/** What an image is called: its capture time in ISO 8601's basic form, and its id, so that names sort by time. */
export const imageName = ({ capturedAt, id }: { capturedAt: number; id: string }): string =>
  `${toUtc(capturedAt).replace(/[-:]/g, "")}_${id}.jpg`;

/** Signs an address of an image, for whoever was checked. */
export const signImage = (
  { objects }: Pick<Context, "objects">,
  row: CaptureRow,
  form: CaptureForm,
): Promise<SignedDownload> => {
  const as = { fileName: imageName(row), contentType: IMAGE_TYPE };
  const disposition = form === "original" ? "attachment" : "inline";
  return objects.signDownload(captureKey(row, form), { ...as, disposition }, LINK_LIFETIME / SECOND);
};

/**
 * An expiring address of an image, or of its thumbnail, for whoever may read images where it was taken.
 * @throws DomainError 401, 403, 404 (absent, hidden, deleted, expired or gone, alike).
 */
export async function captureLink(context: Context, captureId: string, form: CaptureForm): Promise<DownloadLink> {
  const { capture } = await requireCapture(context, captureId, READ);
  const stored = await context.objects.head(captureKey(capture, form));
  if (stored === null) throw notFound();
  const { sizeBytes } = stored;
  return presentDownload(await signImage(context, capture, form), { contentType: IMAGE_TYPE, sizeBytes });
}
