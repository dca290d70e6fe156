/**
 * Reads a body that somebody else decides the length of: at most `most` bytes of it are ever in memory.
 * Null when there are more; the rest is not read.
 */
export async function readBounded(body: ReadableStream<Uint8Array>, most: number): Promise<Blob | null> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks as Uint8Array<ArrayBuffer>[]);
    size += value.byteLength;
    if (size > most) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}
