/** Gives the memory of bytes back at once, without the garbage collector. Nothing may read them any more. */
export function release({ buffer }: ArrayBufferView<ArrayBufferLike>): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
