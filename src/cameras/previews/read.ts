import type { Context } from "../../platform/context";
import type { CaptureRow } from "../find";
import { captureKey } from "../keys";
import { LARGEST_PREVIEW, READS_AT_ONCE } from "./limits";

/** The preview of an image as base64, or null where its bytes are gone. */
async function readPreview({ objects }: Pick<Context, "objects">, row: CaptureRow): Promise<string | null> {
  const found = await objects.read(captureKey(row, "preview"));
  if (found === null) return null;
  if (found.sizeBytes > LARGEST_PREVIEW) {
    await found.body.cancel();
    return null;
  }
  return new Uint8Array(await new Response(found.body).arrayBuffer()).toBase64();
}

/** The previews of images, by image; those whose bytes are gone are missing. */
export async function readPreviews(
  context: Pick<Context, "objects">,
  rows: readonly CaptureRow[],
): Promise<Map<string, string>> {
  const read = new Map<string, string>();
  const waiting = rows.values();
  const lane = async () => {
    for (const row of waiting) {
      const jpegBase64 = await readPreview(context, row);
      if (jpegBase64 !== null) read.set(row.id, jpegBase64);
    }
  };
  await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, rows.length) }, lane));
  return read;
}
