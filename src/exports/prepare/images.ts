import { readImagesOfPlace } from "../../cameras";
import { toUtc } from "../../platform/time";
import { IMAGES_PER_SLICE, MAX_PREPARATION_MS, WORKSPACE_EXPORT_LIFETIME_MS } from "../limits";
import type { Places } from "./places";
import type { Place, PlaceOf } from "./state";
import type { Writer } from "./writer";

const FIRST_ROWS: Place = { step: "rows", table: 0, after: null, rows: 0, file: 1 };

/**
 * Adds the next images of a camera, in folders of their days. Images whose retention ends while the export can be downloaded are
 * left out, because a download must find every file.
 */
export async function addImages(writer: Writer, { cameras }: Places, from: PlaceOf<"images">): Promise<Place> {
  const { context, row } = writer;
  const camera = cameras[from.camera];
  if (camera === undefined) return FIRST_ROWS;
  const asked = {
    ...{ from: row.fromAt, to: row.toAt, publishedUntil: row.createdAt },
    retainedUntil: row.createdAt + MAX_PREPARATION_MS + WORKSPACE_EXPORT_LIFETIME_MS,
  };
  const images = await readImagesOfPlace(context, camera, asked, from.after, IMAGES_PER_SLICE);
  for (const { fileName, capturedAt, sizeBytes, crc32, key } of images)
    writer.add({
      name: `images/${camera.folder}/${toUtc(capturedAt).slice(0, 10)}/${fileName}`,
      ...{ sizeBytes, crc32, modifiedAt: capturedAt, list: "image" },
      pieces: [{ key, objectBytes: sizeBytes, offset: 0, length: sizeBytes }],
    });
  const last = images.at(-1);
  return images.length < IMAGES_PER_SLICE || last === undefined
    ? { step: "images", camera: from.camera + 1, after: null }
    : { ...from, after: { capturedAt: last.capturedAt, id: last.id } };
}
