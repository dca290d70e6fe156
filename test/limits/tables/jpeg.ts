import type { LimitTable } from "../row";

export const jpegLimits: LimitTable<typeof import("../../../src/platform/jpeg/limits")> = {
  CAPTURE_LIMITS: {
    fields: {
      maxPixels: { held: "bounds", coarse: true },
      maxScans: { held: "bounds" },
      maxBytesAfterScan: { held: "bounds" },
      maxBytesBeforeRestart: { held: "bounds" },
      maxTrailingBytes: { held: "bounds" },
      secondImage: {
        held: "effects > a second image in a file is refused of a camera, and ignored in a document",
        values: ["reject", "ignore"],
      },
    },
  },
};
