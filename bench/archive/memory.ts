import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MeasuredWorker } from "../support/workerd.ts";

const PORT = 9864;
/**
 * V8 keeps garbage until its heap is large. This heap has a limit of 16 MB and a young generation of 1 MB, so the
 * measurement shows the memory that sending needs. A larger need would fail.
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

/** Peak memory of a runtime that only sends an export, above its memory after a tenth of the export, MB. */
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
