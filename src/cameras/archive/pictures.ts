import type { CredentialRef } from "../../access";
import type { Context } from "../../context";
import type { CaptureRow } from "../find";
import { captureKey } from "../keys";
import { archiveFor } from "./archive";
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

/**
 * Frames that a camera took at a location, for work in somebody's name: in order of time, none where
 * they may not read them now, or the camera never stood there. @throws RangeError for more than 1,000.
 */
export async function framePictures(
  context: Context,
  asker: CredentialRef,
  locationId: string,
  choice: FrameChoice,
): Promise<FramePicture[]> {
  const archive = await archiveFor(context, asker, choice.cameraId, locationId);
  if (archive === null) return [];
  if ("count" in choice) return (await evenFrames(context, archive, choice, choice.count)).map(pictureOf);
  const [frame] = await nearestFrames(context, archive, [choice]);
  const row = frame && (await readFrames(context, archive, [frame.id])).get(frame.id);
  return row ? [pictureOf(row)] : [];
}
