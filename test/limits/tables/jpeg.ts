import type { LimitTable } from "../row";

export const jpegLimits: LimitTable<typeof import("../../../src/platform/jpeg/limits")> = {
  CAPTURE_LIMITS: {
    fields: {
      maxPixels: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      maxScans: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      maxBytesAfterScan: { held: "bounds" },
      maxBytesBeforeRestart: { held: "bounds" },
      maxTrailingBytes: { held: "bounds" },
      secondImage: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
    },
  },
};
