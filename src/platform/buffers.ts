/** Node 20, where the gateway runs, has no `transfer`. */
type Transferable = Partial<Pick<{ transfer(length: number): ArrayBuffer }, "transfer">>;

/** Gives the memory of bytes back at once where the runtime can, without the garbage collector. Nothing may read them any more. */
export function release({ buffer }: ArrayBufferView<ArrayBufferLike>): void {
  if (buffer instanceof ArrayBuffer) (buffer as Transferable).transfer?.(0);
}
