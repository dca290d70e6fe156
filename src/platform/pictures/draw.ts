import { JobFailure } from "../jobs/handlers";
import { type Picture, pictureOf, pictureOfRgba, turn, verifyJpeg } from "../jpeg";
import { chunkOrientation, pictureSize, pictureType } from "./headers";
import { JPEG_LIMITS, LARGEST_JPEG, LARGEST_PHOTON_FILE, PHOTON_PIXELS } from "./limits";

/** A picture ready to be scaled down, and the size of the upright original, pixels. */
export interface Drawn {
  picture: Picture;
  width: number;
  height: number;
}

const tooLarge = (what: string) =>
  new JobFailure("picture-too-large", `${what} Upload a smaller copy if you need a preview; the file itself is kept.`);

const damaged = (why: string) =>
  new JobFailure("picture-damaged", `The picture cannot be read: ${why}. The file itself is kept as it came.`);

/** Refuses files that are too large to be read into memory at all. @throws JobFailure. */
export function requireReadable(type: string, sizeBytes: number): void {
  const most = type === "image/jpeg" ? LARGEST_JPEG : LARGEST_PHOTON_FILE;
  if (sizeBytes > most)
    throw tooLarge(`Previews are made of ${type} files of at most ${Math.floor(most / 1024 / 1024)} MiB.`);
}

/**
 * Decodes a JPEG, PNG or WebP file upright, sharp to at least `edge` pixels.
 * @throws JobFailure for files that are damaged or too large.
 */
export async function drawPicture(bytes: Uint8Array, edge: number): Promise<Drawn> {
  const type = pictureType(bytes);
  if (type === null) throw damaged("it is neither JPEG, PNG nor WebP");
  requireReadable(type, bytes.length);
  return type === "image/jpeg" ? drawJpeg(bytes, edge) : drawWithPhoton(bytes, type);
}

function drawJpeg(bytes: Uint8Array, edge: number): Drawn {
  const verdict = verifyJpeg(bytes, { minimumEdge: edge, limits: JPEG_LIMITS });
  if (verdict.verdict === "rejected") {
    if (verdict.code === "too-many-pixels") throw tooLarge(`The picture has ${verdict.detail}.`);
    throw damaged(verdict.detail);
  }
  const { decoded } = verdict;
  const picture = pictureOf(decoded, edge);
  const turned = (decoded.metadata.orientation ?? 1) >= 5;
  const [width, height] = turned ? [decoded.height, decoded.width] : [decoded.width, decoded.height];
  return { picture, width, height };
}

/** PNG and WebP, of which the header's size is believed only as far as it can be afforded. */
async function drawWithPhoton(bytes: Uint8Array, type: "image/png" | "image/webp"): Promise<Drawn> {
  const size = pictureSize(bytes);
  if (size === null || size.width === 0 || size.height === 0) throw damaged("its header gives no size");
  if (size.width * size.height > PHOTON_PIXELS)
    throw tooLarge(
      `The picture has ${size.width} × ${size.height} pixels; previews of ${type} are made up to ${PHOTON_PIXELS}.`,
    );
  const { pixels, width, height } = await decodeRgba(bytes);
  // Letters and lines are what these formats are used for: colour keeps its full resolution.
  const picture = pictureOfRgba(pixels, width, height, "4:4:4");
  const upright = turn(picture, chunkOrientation(bytes, type === "image/png" ? "png" : "webp"));
  return { picture: upright, width: upright.width, height: upright.height };
}

/** Decodes with photon, whose 1.6 MB of wasm are instantiated only where there is such a picture. */
async function decodeRgba(bytes: Uint8Array): Promise<{ pixels: Uint8Array; width: number; height: number }> {
  const { PhotonImage } = await import("@cf-wasm/photon/workerd");
  try {
    const image = PhotonImage.new_from_byteslice(bytes);
    try {
      return { pixels: image.get_raw_pixels(), width: image.get_width(), height: image.get_height() };
    } finally {
      image.free();
    }
  } catch (thrown) {
    // photon panics on what it cannot decode, which traps.
    if (thrown instanceof WebAssembly.RuntimeError) throw damaged("its data are damaged or of a kind we do not draw");
    throw thrown;
  }
}
