import type { CredentialRef } from "../../access";
import type { Context } from "../../platform/context";
import { type CaptureRow, findCameraAt } from "../find";
import { captureKey } from "../keys";
import { type Archive, mayReadImages, stillVisible } from "./archive";
import { evenFrames } from "./frames";
import { nearestFrames, readFrames } from "./nearest";

/** Which frames of a camera: the one nearest to a moment, or some evenly chosen; milliseconds since the epoch. */
export type FrameChoice =
  | { cameraId: string; at: number }
  | { cameraId: string; from: number; to: number; count: number };

/** A frame whose bytes can be read from the object store. */
export interface FramePicture {
  captureId: string;
  cameraId: string;
  /** Milliseconds since the epoch. */
  capturedAt: number;
  /** Pixels of the original, as it is shown. */
  width: number;
  height: number;
  /** Bytes of the original. */
  sizeBytes: number;
  /** Keys of JPEG files: the original (at most 8 MiB), and the thumbnail (at most 640 pixels an edge). */
  keys: { original: string; thumbnail: string };
}

const pictureOf = (row: CaptureRow): FramePicture => ({
  captureId: row.id,
  cameraId: row.cameraId,
  capturedAt: row.capturedAt,
  width: row.width,
  height: row.height,
  sizeBytes: row.sizeBytes,
  keys: { original: captureKey(row, "original"), thumbnail: captureKey(row, "thumbnail") },
});

/** Frames of one camera for the choices of it, at the places they have among all. */
async function chooseFrames(
  context: Context,
  archive: Archive,
  choices: readonly FrameChoice[],
  found: FramePicture[][],
): Promise<void> {
  const mine = choices.flatMap((choice, n) => (choice.cameraId === archive.camera.id ? [{ ...choice, n }] : []));
  const moments = mine.filter((choice) => "at" in choice);
  const frames = await nearestFrames(context, archive, moments);
  const ids = frames.flatMap((frame) => frame?.id ?? []);
  const rows = ids.length === 0 ? new Map<string, CaptureRow>() : await readFrames(context, archive, ids);
  for (const [i, { n }] of moments.entries()) {
    const row = rows.get(frames[i]?.id ?? "");
    if (row !== undefined) found[n] = [pictureOf(row)];
  }
  for (const choice of mine)
    if ("count" in choice) found[choice.n] = (await evenFrames(context, archive, choice, choice.count)).map(pictureOf);
}

/**
 * Frames that cameras took at a location, for work in somebody's name: for each choice those in order of time, none
 * where they may not read them now, or the camera never stood there. Moments cost no more however many they are.
 * @throws RangeError for more than 1,000 moments, or frames of a period.
 */
export async function framePictures(
  context: Context,
  asker: CredentialRef,
  locationId: string,
  choices: readonly FrameChoice[],
): Promise<FramePicture[][]> {
  const found = choices.map((): FramePicture[] => []);
  if (choices.length === 0 || !(await mayReadImages(context, asker, locationId))) return found;
  for (const cameraId of new Set(choices.map((choice) => choice.cameraId))) {
    const camera = await findCameraAt(context, cameraId, locationId);
    if (camera !== null) await chooseFrames(context, { camera, locationId }, choices, found);
  }
  return found;
}

/** Which of these images of a location may be shown in somebody's name at this moment: for what took its time. */
export const stillShown = async (
  context: Pick<Context, "db">,
  asker: CredentialRef,
  locationId: string,
  captureIds: readonly string[],
): Promise<Set<string>> =>
  (await mayReadImages(context, asker, locationId)) ? stillVisible(context, captureIds) : new Set<string>();
