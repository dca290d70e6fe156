import type { LimitTable } from "../row";

export const jpegLimits: LimitTable<typeof import("../../../src/platform/jpeg/limits")> = {
  CAPTURE_LIMITS: {
    fields: {
      maxPixels: { held: "bounds", coarse: true },
      maxScans: { held: ["platform/jpeg/verdicts.test.ts > 64 scans of 24 megapixels end, and a 65th is refused"] },
      maxBytesAfterScan: { held: "bounds" },
      maxBytesBeforeRestart: { held: "bounds" },
      maxTrailingBytes: { held: "bounds" },
      secondImage: {
        held: ["limits/effects.test.ts > a second image in a file is refused of a camera, and ignored in a document"],
        values: ["reject", "ignore"],
      },
    },
  },
};
