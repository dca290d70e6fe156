import { PICTURE_TYPES, pictureType } from "../../platform/pictures/headers";

/**
 * The media type a document is kept under: for pictures the bytes decide, also when they are none;
 * for everything else what was announced.
 */
export function mediaTypeOf(head: Uint8Array, announced: string): string {
  const picture = pictureType(head);
  if (picture !== null) return picture;
  const plain = announced.split(";")[0]?.trim().toLowerCase() ?? "";
  return PICTURE_TYPES.includes(plain) ? "application/octet-stream" : announced;
}
