import { createRequire } from "node:module";

type Candidate = (bytes: Uint8Array) => unknown;

/**
 * The compared codecs. Ours does the whole job, the others as much of it as they can. Each runs in its own process, so
 * the heap of one candidate does not affect another candidate.
 */
export const CANDIDATES: Readonly<Record<string, () => Promise<Candidate>>> = {
  async ours() {
    const { atOnce } = await import("../../src/platform/pace");
    const { fitPreview, pictureOf, thumbnailOf, verifyJpeg } = await import("../../src/platform/jpeg");
    return (bytes) => {
      const verdict = atOnce(verifyJpeg(bytes, { minimumEdge: 640 }));
      if (verdict.verdict === "rejected") throw new Error(verdict.code);
      const picture = pictureOf(verdict.decoded, 640);
      return [thumbnailOf(picture), fitPreview(picture)];
    };
  },
  async "jpeg-js"() {
    const { decode } = await import("jpeg-js");
    return (bytes) => decode(bytes, { useTArray: true, maxMemoryUsageInMB: 8_000 });
  },
  async photon() {
    const { PhotonImage, resize, SamplingFilter } = await import("@cf-wasm/photon/node");
    return (bytes) => {
      const image = PhotonImage.new_from_byteslice(bytes);
      const scale = 640 / Math.max(image.get_width(), image.get_height());
      const [width, height] = [image.get_width() * scale, image.get_height() * scale].map(Math.round) as [
        number,
        number,
      ];
      return resize(image, width, height, SamplingFilter.Triangle).get_bytes_jpeg(80);
    };
  },
  async "jpeg-turbo"() {
    const turbo: typeof import("@cwasm/jpeg-turbo") = createRequire(import.meta.url)("@cwasm/jpeg-turbo");
    return (bytes) => turbo.decode(bytes);
  },
};
