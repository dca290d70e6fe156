import { release } from "../buffers";
import { JobFailure } from "../jobs/handlers";
import { type EncodedPicture, encodePicture, type Picture, pictureOf, pictureOfRgba, turn, verifyJpeg } from "../jpeg";
import { decodeAlone, inPieces, letOthersRun } from "../pace";
import { chunkOrientation, pictureSize, pictureType } from "./headers";
import {
  JPEG_LIMITS,
  MAX_JPEG_BYTES,
  MAX_PHOTON_FILE_BYTES,
  MAX_PHOTON_PIXELS,
  MAX_PNG_BYTES,
  MAX_PNG_PIXELS,
  MAX_PNG_WIDTH,
} from "./limits";
import { photon } from "./photon";
import { decodePng, PngError } from "./png";
import { isTrap } from "./wasm";

/** A decoded picture that can be scaled down, and the size of the upright original, pixels. */
interface DecodedPicture {
  picture: Picture;
  width: number;
  height: number;
}

const tooLarge = (what: string) =>
  new JobFailure("picture-too-large", `${what} Upload a smaller copy if you need a preview. The file itself is kept.`);

const damaged = (why: string) =>
  new JobFailure("picture-damaged", `The picture cannot be read: ${why}. The file itself is kept unchanged.`);

/** Refuses files that are too large to be read into memory. @throws JobFailure. */
export function requireReadable(type: string, sizeBytes: number): void {
  const maxBytes =
    type === "image/jpeg" ? MAX_JPEG_BYTES : type === "image/png" ? MAX_PNG_BYTES : MAX_PHOTON_FILE_BYTES;
  if (sizeBytes > maxBytes)
    throw tooLarge(`Previews are made only of ${type} files up to ${Math.floor(maxBytes / 1024 / 1024)} MiB.`);
}

/**
 * Decodes a JPEG, PNG or WebP file and turns it upright. Its resolution suffices for a longest edge of `edge` pixels.
 * @throws JobFailure for a damaged file and for one that is too large; IsolateBusy
 */
export async function decodePicture(bytes: Uint8Array, edge: number): Promise<DecodedPicture> {
  const type = pictureType(bytes);
  if (type === null) throw damaged("it is not a JPEG, PNG or WebP file");
  requireReadable(type, bytes.length);
  if (type === "image/png") return decodePngPicture(bytes, edge);
  return decodeAlone(() => (type === "image/jpeg" ? decodeJpegPicture(bytes, edge) : decodeWebpPicture(bytes)));
}

/**
 * Scales a picture to each of these longest edges, pixels, and encodes it with a quality of 1 to 100. Other requests run before
 * each of them.
 */
export async function encodeEach<const Edges extends readonly number[]>(
  picture: Picture,
  edges: Edges,
  quality: number,
): Promise<{ [Place in keyof Edges]: EncodedPicture }> {
  const encoded: EncodedPicture[] = [];
  for (const edge of edges) {
    await letOthersRun();
    encoded.push(encodePicture(picture, edge, quality));
  }
  return encoded as { [Place in keyof Edges]: EncodedPicture };
}

async function decodeJpegPicture(bytes: Uint8Array, edge: number): Promise<DecodedPicture> {
  const verdict = await inPieces(verifyJpeg(bytes, { minimumEdge: edge, limits: JPEG_LIMITS }));
  if (verdict.verdict === "rejected") {
    if (verdict.code === "too-many-pixels") throw tooLarge(`The picture has ${verdict.detail}.`);
    throw damaged(verdict.detail);
  }
  const { decoded } = verdict;
  await letOthersRun();
  const picture = pictureOf(decoded, edge);
  const kept = new Set([picture.luma, picture.chroma?.cb, picture.chroma?.cr].map((plane) => plane?.samples));
  for (const { samples } of decoded.planes) if (!kept.has(samples)) release(samples);
  const turned = (decoded.metadata.orientation ?? 1) >= 5;
  const [width, height] = turned ? [decoded.height, decoded.width] : [decoded.width, decoded.height];
  return { picture, width, height };
}

/** Reads the size in the header and checks it against the limit, before pixels are decoded. @throws JobFailure. */
function requireSize(bytes: Uint8Array, type: string, maxPixels: number): { width: number; height: number } {
  const size = pictureSize(bytes);
  if (size === null || size.width === 0 || size.height === 0) throw damaged("its header gives no size");
  if (size.width * size.height > maxPixels)
    throw tooLarge(
      `The picture has ${size.width} × ${size.height} pixels; previews of ${type} files have a limit of ${maxPixels} pixels.`,
    );
  return size;
}

async function decodePngPicture(bytes: Uint8Array, edge: number): Promise<DecodedPicture> {
  const { width, height } = requireSize(bytes, "image/png", MAX_PNG_PIXELS);
  if (width > MAX_PNG_WIDTH)
    throw tooLarge(
      `The picture is ${width} pixels wide; previews of image/png files have a limit of ${MAX_PNG_WIDTH}.`,
    );
  try {
    const orientation = chunkOrientation(bytes, "png");
    const picture = turn(await decodePng(bytes, edge), orientation);
    return orientation >= 5 ? { picture, width: height, height: width } : { picture, width, height };
  } catch (thrown) {
    if (thrown instanceof PngError) throw damaged(thrown.message);
    throw thrown;
  }
}

async function decodeWebpPicture(bytes: Uint8Array): Promise<DecodedPicture> {
  requireSize(bytes, "image/webp", MAX_PHOTON_PIXELS);
  const { pixels, width, height } = await decodeRgba(bytes);
  await letOthersRun();
  // WebP often contains letters and lines, so colour keeps its full resolution.
  const picture = turn(pictureOfRgba(pixels, width, height, "4:4:4"), chunkOrientation(bytes, "webp"));
  return { picture, width: picture.width, height: picture.height };
}

/** Decodes with photon. */
async function decodeRgba(bytes: Uint8Array): Promise<{ pixels: Uint8Array; width: number; height: number }> {
  try {
    return await photon.run((library) => {
      const picture = library.decode(bytes);
      const { width, height } = picture;
      const pixels = picture.pixels();
      picture.free();
      return { pixels, width, height };
    });
  } catch (thrown) {
    // photon panics when it cannot decode a file.
    if (isTrap(thrown)) throw damaged("its data is damaged or of an unsupported kind");
    throw thrown;
  }
}
