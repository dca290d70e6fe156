import { JobFailure } from "../../platform/jobs/handlers";
import { fitWithin } from "../../platform/jpeg";
import { describeFailure, log } from "../../platform/log";
import { decodeAlone, letOthersRun } from "../../platform/pace";
import { decodePicture, encodeEach } from "../../platform/pictures/decode";
import { type PictureType, pictureSize, pictureType } from "../../platform/pictures/headers";
import { MAX_PHOTON_PIXELS } from "../../platform/pictures/limits";
import { UploadRejection } from "../../uploads";
import { MEDIUM_EDGE_PIXELS, PREVIEW_QUALITY, SMALL_EDGE_PIXELS } from "../limits";
import { readSvg } from "./svg";

/** The properties of a logo or banner, read from its bytes, with both previews. */
interface DrawnAsset {
  contentType: PictureType | "image/svg+xml";
  width: number;
  height: number;
  previewType: "image/png" | "image/jpeg";
  small: Uint8Array;
  medium: Uint8Array;
}

const refuse = (why: string) =>
  new UploadRejection("kind-refused", `A logo or banner is a PNG, JPEG, WebP or SVG picture: ${why}.`);

/**
 * Checks an asset's bytes and draws its previews.
 * @throws UploadRejection if it is not an accepted picture or is too large.
 */
export async function drawAsset(bytes: Uint8Array): Promise<DrawnAsset> {
  const type = pictureType(bytes);
  try {
    if (type === "image/jpeg") return await drawJpeg(bytes);
    if (type !== null) return await drawTransparent(bytes, type);
  } catch (thrown) {
    if (thrown instanceof JobFailure) throw refuse(thrown.detail.replace(/\.$/, ""));
    throw thrown;
  }
  return drawSvg(bytes);
}

async function drawJpeg(bytes: Uint8Array): Promise<DrawnAsset> {
  const { picture, width, height } = await decodePicture(bytes, MEDIUM_EDGE_PIXELS);
  const [small, medium] = await encodeEach(picture, [SMALL_EDGE_PIXELS, MEDIUM_EDGE_PIXELS], PREVIEW_QUALITY);
  const contentType = "image/jpeg" as const;
  return {
    contentType,
    width,
    height,
    previewType: contentType,
    small: small.bytes,
    medium: medium.bytes,
  };
}

/** Previews of PNG and WebP keep the transparency, because a logo can be on a coloured background. */
async function drawTransparent(bytes: Uint8Array, contentType: PictureType): Promise<DrawnAsset> {
  const size = pictureSize(bytes);
  if (size === null || size.width === 0 || size.height === 0) throw refuse("its header gives no size");
  if (size.width * size.height > MAX_PHOTON_PIXELS)
    throw refuse(`it has ${size.width} × ${size.height} pixels, and the maximum is ${MAX_PHOTON_PIXELS} pixels in all`);
  return decodeAlone(async () => {
    const { width, height, small, medium } = await scaleTransparent(bytes);
    return { contentType, width, height, previewType: "image/png", small, medium };
  });
}

/** Decodes and scales with photon. Each of its calls may take a third of a second. */
async function scaleTransparent(bytes: Uint8Array) {
  const { PhotonImage, resize, SamplingFilter } = await import("@cf-wasm/photon/workerd");
  try {
    const image = PhotonImage.new_from_byteslice(bytes);
    try {
      const [width, height] = [image.get_width(), image.get_height()];
      const scaled = async (edge: number): Promise<Uint8Array> => {
        await letOthersRun();
        const to = fitWithin(width, height, edge);
        const smaller = resize(image, to.width, to.height, SamplingFilter.Lanczos3);
        try {
          return smaller.get_bytes();
        } finally {
          smaller.free();
        }
      };
      return { width, height, small: await scaled(SMALL_EDGE_PIXELS), medium: await scaled(MEDIUM_EDGE_PIXELS) };
    } finally {
      image.free();
    }
  } catch (thrown) {
    // photon panics on bytes that it cannot decode, and the panic is a WebAssembly trap.
    if (thrown instanceof WebAssembly.RuntimeError) throw refuse("its data is damaged");
    throw thrown;
  }
}

/** Halves of layers that are drawn at the full size: each costs up to 48 ms there. With more, the previews are smaller. */
const LAYERS_AT_FULL_SIZE = 10;

/** The longest edge at which an SVG is drawn: its area times its layers is bounded. */
const edgeOfLayers = (layers: number): number =>
  Math.round(MEDIUM_EDGE_PIXELS * Math.min(1, Math.sqrt(LAYERS_AT_FULL_SIZE / Math.max(1, layers))));

/** The smallest SVG that can be drawn. */
const EMPTY_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

async function drawSvg(bytes: Uint8Array): Promise<DrawnAsset> {
  const read = readSvg(bytes);
  if (read === null) throw refuse("this file is another kind");
  if (read.kind === "refused") throw refuse(read.why);
  const { Resvg } = await import("@cf-wasm/resvg/legacy/workerd");
  // resvg's module starts in the background. If the start fails, it fails here and does not reject the file.
  (await Resvg.async(EMPTY_SVG)).free();
  const render = async (edge: number) => {
    await letOthersRun();
    // The proportions of the SVG decide which side is longer.
    const measured = new Resvg(bytes);
    const { width, height } = measured;
    measured.free();
    const side =
      width >= height ? ({ mode: "width", value: edge } as const) : ({ mode: "height", value: edge } as const);
    const scaled = new Resvg(bytes, { fitTo: side });
    try {
      const image = scaled.render();
      const png = image.asPng();
      image.free();
      return { png, width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
    } finally {
      scaled.free();
    }
  };
  try {
    const longest = edgeOfLayers(read.layers);
    const [small, medium] = [await render(Math.min(SMALL_EDGE_PIXELS, longest)), await render(longest)];
    const { width, height } = medium;
    return {
      contentType: "image/svg+xml",
      width,
      height,
      previewType: "image/png",
      small: small.png,
      medium: medium.png,
    };
  } catch (thrown) {
    log("info", "branding.svg-not-drawn", describeFailure(thrown));
    throw refuse("it cannot be drawn");
  }
}
