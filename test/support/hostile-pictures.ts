import { crc32, deflateSync } from "node:zlib";
import { encodeJpeg } from "../../src/platform/jpeg";
import { seeded } from "./random";

/* Pictures that cost much CPU for their size. They need no other program, so tests and benchmarks make them. */

/** Bytes without a pattern, the same in each run. */
function noise(length: number): Uint8Array {
  const random = seeded(1);
  return Uint8Array.from({ length }, () => Math.floor(256 * random()));
}

/** RGBA pixels without a pattern. */
export const noisePixels = (width: number, height: number): Uint8Array =>
  noise(4 * width * height).map((value, i) => (i % 4 === 3 ? 255 : value));

const noisePlane = (width: number, height: number) => ({
  samples: noise(width * height),
  stride: width,
  width,
  height,
});

/** A JPEG of noise in three components of full size. */
export function noiseJpeg(width: number, height: number, quality = 60): Uint8Array<ArrayBuffer> {
  const plane = noisePlane(width, height);
  const chroma = { cb: plane, cr: plane, subsampling: "4:4:4" as const };
  return Uint8Array.from(encodeJpeg({ width, height, luma: plane, chroma }, quality));
}

const SEGMENT = (marker: number, ...payload: number[]): number[] => {
  const length = payload.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...payload];
};

const endOfSegment = (bytes: Uint8Array, at: number): number =>
  at + 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));

/** A JPEG of noise in the four components of YCCK: the scan of a gray picture, once for each component. */
export function ycckJpeg(width: number, height: number, quality = 40): Uint8Array<ArrayBuffer> {
  const gray = encodeJpeg({ width, height, luma: noisePlane(width, height), chroma: null }, quality);
  const tables: number[] = [];
  let at = 2;
  for (; gray[at + 1] !== 0xda; at = endOfSegment(gray, at))
    if (gray[at + 1] === 0xdb || gray[at + 1] === 0xc4) tables.push(...gray.subarray(at, endOfSegment(gray, at)));
  const data = gray.subarray(endOfSegment(gray, at), gray.length - 2);
  const components = [1, 2, 3, 4];
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  const parts = [
    Uint8Array.from([
      ...[0xff, 0xd8],
      ...SEGMENT(0xee, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 2),
      ...tables,
      ...SEGMENT(0xc0, 8, ...size, 4, ...components.flatMap((id) => [id, 0x11, 0])),
    ]),
    ...components.flatMap((id) => [Uint8Array.from(SEGMENT(0xda, 1, id, 0, 0, 63, 0)), data]),
    Uint8Array.of(0xff, 0xd9),
  ];
  return Uint8Array.from(Buffer.concat(parts));
}

/** A JPEG with `count` segments of small Huffman tables before its picture. */
export function tablesJpeg(file: Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const tables = Uint8Array.from(
    SEGMENT(0xc4, ...Array.from({ length: 3_800 }, () => [3, ...Array<number>(16).fill(0)]).flat()),
  );
  const parts = [file.subarray(0, 2), ...Array.from({ length: count }, () => tables), file.subarray(2)];
  return Uint8Array.from(Buffer.concat(parts));
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(type, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
};

/** A PNG whose rows have the filter Paeth, with `depth` bits for each of `samples` samples of a pixel. */
export function paethPng(width: number, height: number, depth: 8 | 16, samples: 1 | 3 | 4): Uint8Array<ArrayBuffer> {
  const stride = 1 + (width * samples * depth) / 8;
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    rows[y * stride] = 4;
    for (let x = 1; x < stride; x += 5) rows[y * stride + x] = (x * y) & 255;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = { 1: 0, 3: 2, 4: 6 }[samples];
  const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows, { level: 1 })), chunk("IEND", Buffer.alloc(0))];
  return Uint8Array.from(Buffer.concat([signature, ...parts]));
}
