import { createRequire } from "node:module";
import { PhotonImage, resize, SamplingFilter } from "@cf-wasm/photon/node";
import { decode } from "jpeg-js";
import { fitPreview, pictureOf, thumbnailOf, verifyJpeg } from "../../src/platform/jpeg";

const turbo: typeof import("@cwasm/jpeg-turbo") = createRequire(import.meta.url)("@cwasm/jpeg-turbo");

/** What is compared: ours does the whole job, the others as much of it as they can. */
export const CANDIDATES: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  ours(bytes) {
    const verdict = verifyJpeg(bytes, { minimumEdge: 640 });
    if (verdict.verdict === "rejected") throw new Error(verdict.code);
    const picture = pictureOf(verdict.decoded, 640);
    return [thumbnailOf(picture), fitPreview(picture)];
  },
  "jpeg-js": (bytes) => decode(bytes, { useTArray: true, maxMemoryUsageInMB: 8_000 }),
  photon(bytes) {
    const image = PhotonImage.new_from_byteslice(bytes);
    const scale = 640 / Math.max(image.get_width(), image.get_height());
    const [width, height] = [image.get_width() * scale, image.get_height() * scale].map(Math.round) as [number, number];
    return resize(image, width, height, SamplingFilter.Triangle).get_bytes_jpeg(80);
  },
  "jpeg-turbo": (bytes) => turbo.decode(bytes),
};
