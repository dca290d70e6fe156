interface TiffPage {
  width: number;
  height: number;
  /** Bits of NewSubfileType. */
  subfile?: number;
  /** Bytes of the strip of the page, one bit for each pixel. Declared, but absent without it. */
  strip?: Uint8Array;
  compression?: number;
}

/** A TIFF in black and white, in either byte order. `next` replaces the offset of the directory behind the last one. */
export function tiffOf(
  pages: readonly TiffPage[],
  { isLittle = true, next = () => 0 }: { isLittle?: boolean; next?: (offsets: readonly number[]) => number } = {},
): Uint8Array<ArrayBuffer> {
  const strips = pages.reduce((sum, { strip }) => sum + (strip?.length ?? 0), 0);
  const bytes = new Uint8Array(8 + pages.length * (2 + 8 * 12 + 4) + strips);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(isLittle ? "II" : "MM"));
  view.setUint16(2, 42, isLittle);
  let at = 8;
  let link = 4;
  const offsets: number[] = [];
  for (const { width, height, subfile = 0, strip = new Uint8Array(), compression = 1 } of pages) {
    bytes.set(strip, at);
    const [begin, length] = [at, strip.length];
    at += strip.length;
    offsets.push(at);
    view.setUint32(link, at, isLittle);
    const entries = [
      [254, subfile],
      [256, width],
      [257, height],
      [259, compression],
      [262, 0],
      [273, begin],
      [278, height],
      [279, length],
    ] as const;
    view.setUint16(at, entries.length, isLittle);
    at += 2;
    for (const [tag, value] of entries) {
      view.setUint16(at, tag, isLittle);
      view.setUint16(at + 2, 4, isLittle);
      view.setUint32(at + 4, 1, isLittle);
      view.setUint32(at + 8, value, isLittle);
      at += 12;
    }
    link = at;
    at += 4;
  }
  view.setUint32(link, next(offsets), isLittle);
  return bytes;
}
