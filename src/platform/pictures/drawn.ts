import { PICTURE_TYPES } from "./headers";

/** A file that is read in ranges. */
export interface FileBytes {
  sizeBytes: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The media types of pictures that neither the Worker nor a browser decodes by itself: a page with a decoder draws them. */
export type DrawnType = "image/heic" | "image/heif" | "image/tiff";
export const DRAWN_TYPES: readonly string[] = ["image/heic", "image/heif", "image/tiff"] satisfies DrawnType[];

/** Whether the service makes previews of files of a media type. */
export const hasPreview = (contentType: string): boolean =>
  PICTURE_TYPES.includes(contentType) || DRAWN_TYPES.includes(contentType);

const textAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** Media types with which programs announce a TIFF file. A raw picture of a camera begins with the same bytes. */
const TIFF_TYPES = ["image/tiff", "image/tif", "image/x-tiff", "application/octet-stream", ""];
const HEVC_BRANDS = ["heic", "heix", "heim", "heis", "hevc", "hevx"];

/** The type by the first bytes of a file, or null. `announced` is the plain media type of its upload. */
export function drawnType(head: Uint8Array, announced: string): DrawnType | null {
  if (TIFF_TYPES.includes(announced) && tiffForm(head) !== null && textAt(head, 8, 2) !== "CR") return "image/tiff";
  if (head.length < 16 || textAt(head, 4, 4) !== "ftyp") return null;
  const end = Math.min(head.length, new DataView(head.buffer, head.byteOffset).getUint32(0), 256);
  const brands = [textAt(head, 8, 4)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(textAt(head, at, 4));
  if (brands.some((brand) => HEVC_BRANDS.includes(brand))) return "image/heic";
  // Browsers draw AVIF by themselves.
  return ["mif1", "msf1"].includes(brands[0] ?? "") && !brands.includes("avif") ? "image/heif" : null;
}

/** A picture in a file. */
export interface Frame {
  /** Where the directory of a page of a TIFF begins; 0 for others. */
  offset: number;
  width: number;
  height: number;
}

/** The pictures of a file, as its directory declares them. Nothing is decoded. */
export interface Frames {
  format: "heic" | "tiff";
  frames: Frame[];
}

/** Directories of a TIFF that are read. */
const MAX_DIRECTORIES = 300;
/** Entries of a directory of a TIFF. Real ones have about twenty. */
const MAX_ENTRIES = 500;

/** Lists the pictures of a file by its directory. @returns null for a damaged one */
export async function readFrames(file: FileBytes, type: DrawnType): Promise<Frames | null> {
  if (type === "image/tiff") {
    const frames = await tiffFrames(file);
    return frames.length === 0 ? null : { format: "tiff", frames };
  }
  const frame = await heifFrame(file);
  return frame === null ? null : { format: "heic", frames: [frame] };
}

interface TiffForm {
  isLittle: boolean;
  /** Whether offsets have 64 bits. */
  isBig: boolean;
}

/** The byte order and the width of offsets in a TIFF (TIFF 6.0, section 2; BigTIFF). Null for other files. */
function tiffForm(head: Uint8Array): TiffForm | null {
  const order = textAt(head, 0, 2);
  if (head.length < 16 || (order !== "II" && order !== "MM")) return null;
  const isLittle = order === "II";
  const version = new DataView(head.buffer, head.byteOffset).getUint16(2, isLittle);
  return version === 42 || version === 43 ? { isLittle, isBig: version === 43 } : null;
}

const SUBFILE_TYPE = 254;
const [WIDTH, HEIGHT] = [256, 257];
/** Bits of NewSubfileType: a smaller form of another picture, and a mask. */
const NO_PAGE = 1 | 4;
/** Sizes of SHORT, LONG and LONG8 by their numbers. */
const INTEGERS: Readonly<Record<number, 2 | 4 | 8>> = { 3: 2, 4: 4, 16: 8 };

/** The pages of a TIFF, up to a directory that cannot be read or that was read before. */
async function tiffFrames(file: FileBytes): Promise<Frame[]> {
  const head = await file.read(0, 16);
  const form = tiffForm(head);
  if (form === null) return [];
  const { isLittle, isBig } = form;
  const [counterBytes, entryBytes, offsetBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const number = (view: DataView, at: number, bytes: number): number =>
    bytes === 2
      ? view.getUint16(at, isLittle)
      : bytes === 4
        ? view.getUint32(at, isLittle)
        : Number(view.getBigUint64(at, isLittle));
  const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Frame[] = [];
  const seen = new Set<number>();
  let offset = number(viewOf(head), isBig ? 8 : 4, offsetBytes);
  while (offset > 0 && offset < file.sizeBytes && !seen.has(offset) && seen.size < MAX_DIRECTORIES) {
    seen.add(offset);
    const counter = await file.read(offset, counterBytes);
    const entries = counter.length < counterBytes ? 0 : number(viewOf(counter), 0, counterBytes);
    if (entries === 0 || entries > MAX_ENTRIES) break;
    const bytes = await file.read(offset + counterBytes, entries * entryBytes + offsetBytes);
    if (bytes.length < entries * entryBytes + offsetBytes) break;
    const view = viewOf(bytes);
    const values: Record<number, number> = {};
    for (let at = 0; at < entries * entryBytes; at += entryBytes) {
      const tag = view.getUint16(at, isLittle);
      const size = INTEGERS[view.getUint16(at + 2, isLittle)];
      if (tag <= HEIGHT && size !== undefined) values[tag] = number(view, at + entryBytes - offsetBytes, size);
    }
    const [width = 0, height = 0] = [values[WIDTH], values[HEIGHT]];
    const isPage = ((values[SUBFILE_TYPE] ?? 0) & NO_PAGE) === 0 && width > 0 && height > 0;
    if (isPage) frames.push({ offset, width, height });
    offset = number(view, entries * entryBytes, offsetBytes);
  }
  return frames;
}

/** Maximum number of boxes of a HEIF file, and maximum size of the box that describes its pictures, bytes. */
const MAX_BOXES = 64;
const MAX_META_BYTES = 1024 * 1024;

/** The largest picture that a HEIF file declares (ISO/IEC 23008-12, `ispe`). Its tiles declare their sizes in the same way. */
async function heifFrame(file: FileBytes): Promise<Frame | null> {
  let at = 0;
  for (let boxes = 0; boxes < MAX_BOXES && at + 8 <= file.sizeBytes; boxes++) {
    const head = await file.read(at, 16);
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    const short = view.getUint32(0);
    const length = short === 1 && head.length === 16 ? Number(view.getBigUint64(8)) : short || file.sizeBytes - at;
    if (length < 8) return null;
    if (textAt(head, 4, 4) === "meta")
      return length > MAX_META_BYTES ? null : largestOf(await file.read(at, length), 12);
    at += length;
  }
  return null;
}

/** The largest size in the boxes `iprp` and `ipco`. Null without one. */
function largestOf(bytes: Uint8Array, from: number): Frame | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let largest: Frame | null = null;
  for (let at = from; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (length < 8 || at + length > bytes.length) break;
    const type = textAt(bytes, at + 4, 4);
    const found =
      type === "iprp" || type === "ipco"
        ? largestOf(bytes.subarray(at, at + length), 8)
        : type === "ispe" && length >= 20
          ? { offset: 0, width: view.getUint32(at + 12), height: view.getUint32(at + 16) }
          : null;
    if (found !== null && found.width * found.height > (largest === null ? 0 : largest.width * largest.height))
      largest = found;
    at += length;
  }
  return largest;
}
