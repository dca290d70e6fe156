import type { Resvg } from "@cf-wasm/resvg/legacy/workerd";
import { JobFailure } from "../../platform/jobs/handlers";
import { fitWithin } from "../../platform/jpeg";
import { describeFailure, log } from "../../platform/log";
import { decodeAlone, inPieces, letOthersRun } from "../../platform/pace";
import { decodePicture, encodeEach } from "../../platform/pictures/decode";
import { type PictureType, pictureSize, pictureType } from "../../platform/pictures/headers";
import { MAX_PHOTON_PIXELS } from "../../platform/pictures/limits";
import { UploadRejection } from "../../uploads";
import { MEDIUM_EDGE_PIXELS, MIN_DRAWN_SVG_EDGE_PIXELS, PREVIEW_QUALITY, SMALL_EDGE_PIXELS } from "../limits";
import { readSvg } from "./svg";
import { edgeOf, estimateDrawing, SvgNotDrawable } from "./svg-cost";

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

/** The smallest SVG that can be drawn. */
const EMPTY_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

async function drawSvg(bytes: Uint8Array): Promise<DrawnAsset> {
  const read = await inPieces(readSvg(bytes));
  if (read === null) throw refuse("this file is another kind");
  if (read.kind === "refused") throw refuse(read.why);
  return decodeAlone(() => drawRead(bytes));
}

/** Draws an SVG that was read. Each call of resvg takes up to half a second, and others run between them. */
async function drawRead(bytes: Uint8Array): Promise<DrawnAsset> {
  const { Resvg: Parsed } = await import("@cf-wasm/resvg/legacy/workerd");
  // resvg's module starts in the background. If the start fails, it fails here and does not reject the file.
  (await Parsed.async(EMPTY_SVG)).free();
  try {
    await letOthersRun();
    const { width, height, form } = formOf(new Parsed(bytes));
    const longest = edgeOf(await inPieces(estimateDrawing(form)));
    // A cost that is no number is refused too.
    if (!(longest >= MIN_DRAWN_SVG_EDGE_PIXELS))
      throw new SvgNotDrawable(
        "it takes too long to draw. Draw fewer large, transparent or overlapping shapes and fewer or shorter lines, or upload a PNG",
      );
    const render = async (edge: number): Promise<Uint8Array> => {
      await letOthersRun();
      // The proportions of the SVG decide which side is longer.
      const mode = width >= height ? "width" : "height";
      const scaled = new Parsed(bytes, { fitTo: { mode, value: edge } });
      try {
        await letOthersRun();
        const image = scaled.render();
        await letOthersRun();
        const png = image.asPng();
        image.free();
        return png;
      } finally {
        scaled.free();
      }
    };
    const small = await render(Math.min(SMALL_EDGE_PIXELS, longest));
    const medium = await render(longest);
    return {
      contentType: "image/svg+xml",
      width: Math.max(1, Math.round(width)),
      height: Math.max(1, Math.round(height)),
      previewType: "image/png",
      small,
      medium,
    };
  } catch (thrown) {
    if (thrown instanceof SvgNotDrawable) throw refuse(thrown.message);
    log("info", "branding.svg-not-drawn", describeFailure(thrown));
    throw refuse("it cannot be drawn");
  }
}

/** The size of a parsed SVG, and resvg's own form of it: references followed, styles applied, shapes as paths. */
function formOf(parsed: Resvg) {
  try {
    const { width, height } = parsed;
    return { width, height, form: parsed.toString() };
  } finally {
    parsed.free();
  }
}
