import type { LimitTable } from "../row";

export const jpegLimits: LimitTable<typeof import("../../../src/platform/jpeg/limits")> = {
  CAPTURE_LIMITS: {
    fields: {
      maxPixels: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      maxScans: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      maxBytesAfterScan: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      maxBytesBeforeRestart: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      maxTrailingBytes: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
      secondImage: { held: ["platform/jpeg/verdicts.test.ts"], open: true },
    },
  },
};
