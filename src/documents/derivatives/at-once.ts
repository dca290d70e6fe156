import type { Context } from "../../platform/context";
import { pictureSize, SIZE_WITHIN } from "../../platform/pictures/headers";
import { SECOND } from "../../platform/time";
import { AT_ONCE_BYTES, AT_ONCE_PIXELS } from "./limits";

import { type VersionOf, waitingPicture } from "./waiting";

/** How long the request waits for a queue's worker that was quicker to take the job. */
const LONGEST_WAIT = 2 * SECOND;
const POLL_EVERY = SECOND / 10;

async function isSmall({ objects }: Context, key: string, sizeBytes: number): Promise<boolean> {
  if (sizeBytes > AT_ONCE_BYTES) return false;
  const found = await objects.read(key, { offset: 0, length: Math.min(SIZE_WITHIN, sizeBytes) });
  if (found === null) return false;
  const size = pictureSize(new Uint8Array(await new Response(found.body).arrayBuffer()));
  return size !== null && size.width * size.height <= AT_ONCE_PIXELS;
}

/**
 * Makes the derivatives of a small picture within the request, by the job that is queued for them;
 * larger ones, and those that take too long, are left to the queue.
 */
export async function deriveAtOnce(context: Context, of: VersionOf, jobId: string): Promise<void> {
  const found = await waitingPicture(context, of);
  if (found === null || !(await isSmall(context, found.version.objectKey, found.version.sizeBytes))) return;
  await context.runNow(jobId);
  const deadline = Date.now() + LONGEST_WAIT;
  while (Date.now() < deadline && (await waitingPicture(context, of)) !== null) await scheduler.wait(POLL_EVERY);
}
