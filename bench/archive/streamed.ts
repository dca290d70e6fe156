import { Zip, ZipPassThrough } from "fflate";

/** An image that is sent into an archive. */
export interface Packed {
  name: string;
  body: ReadableStream<Uint8Array> | null;
}

/**
 * The usual way to send an archive: the images are read one after another and packed while they are sent. The length is
 * not known in advance, and there are no ranges.
 */
export async function sendStreamed(images: AsyncIterable<Packed>, to: WritableStream<Uint8Array>): Promise<void> {
  const writer = to.getWriter();
  const written: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    written.push(chunk);
  });
  const flush = async () => {
    for (const chunk of written.splice(0)) await writer.write(chunk);
  };
  for await (const { name, body } of images) {
    const member = new ZipPassThrough(name);
    zip.add(member);
    for await (const chunk of body ?? []) {
      member.push(chunk);
      await flush();
    }
    member.push(new Uint8Array(0), true);
    await flush();
  }
  zip.end();
  await flush();
  await writer.close();
}
