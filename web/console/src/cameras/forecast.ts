import type { Entitlements } from "../../../../client/src/index.ts";

export { bytesNeeded, type Measured, openShare, type Plan } from "../../../../src/cameras/storage/forecast.ts";

/** Bytes that the organization may still use. */
export const bytesLeft = ({ documentStorageBytes, usage }: Entitlements): number =>
  Math.max(0, documentStorageBytes - usage.usedBytes - usage.reservedBytes);

/** A share in words: "12 %", "less than 1 %". */
export function percentOf(part: number, whole: number): string {
  const percent = whole <= 0 ? Number.POSITIVE_INFINITY : (100 * part) / whole;
  if (percent < 1) return "less than 1 %";
  return Number.isFinite(percent) ? `${Math.round(percent).toLocaleString("en")} %` : "more than 100 %";
}
