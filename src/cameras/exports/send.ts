import type { Context } from "../../platform/context";
import { READ_AHEAD } from "./limits";
import type { Part } from "./parts";

type Opened = Uint8Array | ReadableStream<Uint8Array>;

/** Opens a part. @throws when an object is gone, or is not the one of the manifest. */
async function open({ objects }: Pick<Context, "objects">, part: Part): Promise<Opened> {
  if (part.kind === "bytes") return part.bytes;
  const { key, sizeBytes, range } = part;
  const found = await objects.read(key, range.length === sizeBytes ? undefined : range);
  if (found === null) throw new Error("an exported image is gone");
  if (found.sizeBytes === sizeBytes) return found.body;
  await found.body.cancel();
  throw new Error("an exported image has another size");
}

const close = async (opened: Promise<Opened>): Promise<void> => {
  const found = await opened.catch(() => null);
  if (found instanceof ReadableStream) await found.cancel().catch(() => {});
};

/**
 * Sends parts one after the other, with a few objects open ahead; their bytes pass without being held.
 * What goes wrong ends the body short of its announced length, which every client notices.
 */
export async function sendParts(
  context: Pick<Context, "objects">,
  parts: AsyncGenerator<Part>,
  to: WritableStream<Uint8Array>,
): Promise<void> {
  const ahead: Promise<Opened>[] = [];
  const refill = async () => {
    while (ahead.length <= READ_AHEAD) {
      const { done, value } = await parts.next();
      if (done) return;
      const opened = open(context, value);
      opened.catch(() => {});
      ahead.push(opened);
    }
  };
  try {
    for (;;) {
      await refill();
      const next = await ahead.shift();
      if (next === undefined) break;
      if (next instanceof ReadableStream) await next.pipeTo(to, { preventClose: true, preventAbort: true });
      else await write(to, next);
    }
    await to.close();
  } catch (thrown) {
    await Promise.all([parts.return(undefined), to.abort(thrown).catch(() => {}), ...ahead.map(close)]);
    throw thrown;
  }
}

async function write(to: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = to.getWriter();
  try {
    await writer.write(bytes);
  } finally {
    writer.releaseLock();
  }
}
