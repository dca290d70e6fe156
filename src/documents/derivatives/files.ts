import { release } from "../../platform/buffers";
import { decodePicture, encodeEach } from "../../platform/pictures/decode";
import type { VersionKey } from "../document";

/** Length of the longer edge of each derivative, pixels. */
const SMALL_EDGE_PIXELS = 256;

const MEDIUM_EDGE_PIXELS = 1024;

/** JPEG quality of both. */
const DERIVATIVE_QUALITY = 85;

/** Media type of derivatives. Transparent pixels become white. */
export const DERIVATIVE_TYPE = "image/jpeg";

/** Decodes a picture and makes both derivatives of it. The memory of the file is given back. */
export async function scaledPictures(bytes: Uint8Array) {
  const { picture, width, height } = await decodePicture(bytes, MEDIUM_EDGE_PIXELS);
  release(bytes);
  const [small, medium] = await encodeEach(picture, [SMALL_EDGE_PIXELS, MEDIUM_EDGE_PIXELS], DERIVATIVE_QUALITY);
  return { small: small.bytes, medium: medium.bytes, width, height };
}

/** Keys of a version's derivatives, below the document's prefix. They are the same in every attempt. */
export function derivativeKeys(tenantId: string, { documentId, version }: VersionKey) {
  const folder = `${tenantId}/${documentId}/derivatives/v${String(version).padStart(8, "0")}`;
  return { small: `${folder}/small.jpg`, medium: `${folder}/medium.jpg` };
}

/** Key of the picture of a page. */
export const pageKey = (tenantId: string, { documentId, version }: VersionKey, page: number): string =>
  `${tenantId}/${documentId}/derivatives/v${String(version).padStart(8, "0")}/page-${page}.jpg`;

/** The keys of all pages of a version that were drawn. Pages that cannot be read have no object. */
export const pageKeys = (
  tenantId: string,
  { documentId, version, pagePictures }: VersionKey & { pagePictures: number },
): string[] => Array.from({ length: pagePictures }, (_, at) => pageKey(tenantId, { documentId, version }, at + 1));
