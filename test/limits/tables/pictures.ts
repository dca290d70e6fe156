import type { LimitTable } from "../row";

export const picturesLimits: LimitTable<typeof import("../../../src/platform/pictures/limits")> = {
  JPEG_LIMITS: {
    fields: {
      maxPixels: { held: ["documents/derivatives.test.ts"], open: true },
      maxTrailingBytes: { held: ["documents/derivatives.test.ts"], open: true },
      secondImage: { held: ["documents/derivatives.test.ts"], open: true },
    },
  },
  MAX_JPEG_BYTES: { held: ["documents/derivatives.test.ts"], open: true },
  MAX_PNG_PIXELS: { held: ["platform/png.test.ts"], open: true },
  MAX_PNG_BYTES: { held: ["documents/derivatives.test.ts"], open: true },
  MAX_PNG_WIDTH: { held: ["platform/png.test.ts"], open: true },
  MAX_PHOTON_PIXELS: { held: ["documents/derivatives.test.ts"], open: true },
  MAX_PHOTON_FILE_BYTES: { held: ["documents/derivatives.test.ts"], open: true },
  MAX_WEBP_PIXELS: { held: ["browser/printing/paper.test.ts"], open: true },
};
