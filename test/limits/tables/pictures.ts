import type { LimitTable } from "../row";

export const picturesLimits: LimitTable<typeof import("../../../src/platform/pictures/limits")> = {
  JPEG_LIMITS: {
    fields: {
      maxPixels: { held: ["documents/derivatives.test.ts"], open: true },
      maxTrailingBytes: { held: ["documents/derivatives.test.ts"], open: true },
      secondImage: { held: ["documents/derivatives.test.ts"], open: true },
    },
  },
  MAX_JPEG_BYTES: { held: "bounds" },
  MAX_PNG_PIXELS: { held: "bounds" },
  MAX_PNG_BYTES: { held: "bounds" },
  MAX_PNG_WIDTH: { held: "bounds" },
  MAX_PHOTON_PIXELS: { held: ["documents/derivatives.test.ts"], open: true },
  MAX_PHOTON_FILE_BYTES: { held: "bounds" },
  MAX_WEBP_PIXELS: { held: ["browser/printing/paper.test.ts"], open: true },
};
