import type { LimitTable } from "../row";

export const picturesLimits: LimitTable<typeof import("../../../src/platform/pictures/limits")> = {
  JPEG_LIMITS: {
    fields: {
      maxPixels: { held: "bounds", coarse: true },
      maxTrailingBytes: { unheld: "It is no limit: any number of bytes is ignored." },
      secondImage: {
        held: "effects > a second image in a file is refused of a camera, and ignored in a document",
        values: ["reject", "ignore"],
      },
    },
  },
  MAX_JPEG_BYTES: { held: "bounds" },
  MAX_PNG_PIXELS: { held: "bounds", coarse: true },
  MAX_PNG_BYTES: { held: "bounds" },
  MAX_PNG_WIDTH: { held: "bounds" },
  MAX_PHOTON_PIXELS: { held: "bounds", coarse: true },
  MAX_PHOTON_FILE_BYTES: { held: "bounds" },
  MAX_WEBP_PIXELS: { held: "bounds", coarse: true },
};
