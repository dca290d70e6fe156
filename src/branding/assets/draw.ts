import { JobFailure } from "../../platform/jobs/handlers";
import { fitWithin } from "../../platform/jpeg";
import { describeFailure, log } from "../../platform/log";
import { decodeAlone, inPieces, letOthersRun } from "../../platform/pace";
import { decodePicture, encodeEach } from "../../platform/pictures/decode";
import { type PictureType, pictureSize, pictureType } from "../../platform/pictures/headers";
import { MAX_PHOTON_PIXELS } from "../../platform/pictures/limits";
import { photon } from "../../platform/pictures/photon";
import { isTrap } from "../../platform/pictures/wasm";
import { UploadRejection } from "../../uploads";
import { MEDIUM_EDGE_PIXELS, MIN_DRAWN_SVG_EDGE_PIXELS, PREVIEW_QUALITY, SMALL_EDGE_PIXELS } from "../limits";
import { resvg } from "./resvg";
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
  try {
    return await photon.run(async (library) => {
      const image = library.decode(bytes);
      const { width, height } = image;
      const scaled = async (edge: number): Promise<Uint8Array> => {
        await letOthersRun();
        const to = fitWithin(width, height, edge);
        const smaller = image.resized(to.width, to.height);
        const png = smaller.png();
        smaller.free();
        return png;
      };
      const both = { width, height, small: await scaled(SMALL_EDGE_PIXELS), medium: await scaled(MEDIUM_EDGE_PIXELS) };
      image.free();
      return both;
    });
  } catch (thrown) {
    // photon panics on bytes that it cannot decode.
    if (isTrap(thrown)) throw refuse("its data is damaged");
    throw thrown;
  }
}

async function drawSvg(bytes: Uint8Array): Promise<DrawnAsset> {
  const read = await inPieces(readSvg(bytes));
  if (read === null) throw refuse("this file is another kind");
  if (read.kind === "refused") throw refuse(read.why);
  return decodeAlone(() => drawRead(bytes));
}

/** Draws an SVG that was read. Each call of resvg takes up to half a second, and others run between them. */
async function drawRead(bytes: Uint8Array): Promise<DrawnAsset> {
  // If resvg cannot be started, it fails here and does not reject the file.
  resvg.current();
  try {
    return await resvg.run(async (library) => {
      await letOthersRun();
      const { width, height, form } = library.describe(library.parse(bytes));
      const longest = edgeOf(await inPieces(estimateDrawing(form)));
      // A cost that is no number is refused too.
      if (!(longest >= MIN_DRAWN_SVG_EDGE_PIXELS))
        throw new SvgNotDrawable(
          "it takes too long to draw. Draw fewer large, transparent or overlapping shapes and fewer or shorter lines, or upload a PNG",
        );
      const render = async (edge: number): Promise<Uint8Array> => {
        await letOthersRun();
        // The proportions of the SVG decide which side is longer.
        const scaled = library.parse(bytes, { mode: width >= height ? "width" : "height", value: edge });
        await letOthersRun();
        const image = library.render(scaled);
        await letOthersRun();
        return library.png(image);
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
    });
  } catch (thrown) {
    if (thrown instanceof SvgNotDrawable) throw refuse(thrown.message);
    log("info", "branding.svg-not-drawn", describeFailure(thrown));
    throw refuse("it cannot be drawn");
  }
}
