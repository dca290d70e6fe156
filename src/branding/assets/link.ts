import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { type DownloadLink, presentDownload } from "../../platform/objects/downloads";
import { MINUTE, SECOND } from "../../platform/time";
import type { Slot } from "../fields";
import { requireAsset } from "../find";

export const ASSET_LINKS = ["file", "small", "medium"] as const;

const LINK_LIFETIME = 5 * MINUTE;

/**
 * An expiring address of a slot's file, or of its preview. The file is always saved and never shown by
 * its address: an SVG opened there could run. @throws DomainError 401, 404.
 */
export async function assetLink(
  context: Context,
  organizationId: string,
  slot: Slot,
  linkType: (typeof ASSET_LINKS)[number],
): Promise<DownloadLink> {
  const row = await requireAsset(context, organizationId, slot);
  const ending = row.previewType === "image/png" ? "png" : "jpg";
  const as =
    linkType === "file"
      ? { fileName: row.fileName, contentType: row.contentType, disposition: "attachment" as const }
      : { fileName: `${slot}-${linkType}.${ending}`, contentType: row.previewType, disposition: "inline" as const };
  const key = { file: row.objectKey, small: row.smallKey, medium: row.mediumKey }[linkType];
  const object = await context.objects.head(key);
  if (object === null) throw notFound();
  const link = await context.objects.signDownload(key, as, LINK_LIFETIME / SECOND);
  return presentDownload(link, { contentType: as.contentType, sizeBytes: object.sizeBytes });
}
