import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MeasuredWorker } from "../support/workerd.ts";

const PORT = 9864;
/**
 * V8 lets garbage stand until its heap is large. This one is kept at 16 MB and a nursery of 1 MB, so that what is
 * measured is what sending needs; it would fail where it needed more.
 */
const SMALL_HEAP = ["--max-old-space-size=16", "--max-semi-space-size=1"];

/** Serves the same bytes at every address, or a range of them. */
async function serveImage(image: Buffer) {
  const server = createServer((request, response) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const body = first === undefined ? image : image.subarray(Number(first), Number(last) + 1);
    response.writeHead(200, { "content-length": body.length, "x-size": image.length }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** Peak memory, MB, of a runtime that does nothing else while it sends an export, above what it held after a tenth of it. */
export async function measureMemory(
  way: "/ours" | "/streamed",
  image: Buffer,
  count: number,
  v8Flags = SMALL_HEAP,
): Promise<number> {
  const server = await serveImage(image);
  const worker = await MeasuredWorker.start("bench/archive/worker.ts", PORT, v8Flags);
  const send = async (share: number) => {
    const asked = { count: String(count), size: String(image.length), share: String(share) };
    const query = new URLSearchParams({ source: server.url, ...asked });
    let received = 0;
    for await (const chunk of (await fetch(`${worker.url}${way}?${query}`)).body ?? []) received += chunk.length;
    if (received < share * count * image.length) throw new Error(`${way}: ${received} bytes`);
  };
  try {
    await send(0.1);
    return (await worker.measure(() => send(1))).cost.peakMb;
  } finally {
    await worker.stop();
    server.close();
  }
}
