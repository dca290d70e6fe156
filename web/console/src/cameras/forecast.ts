import { COMMON } from "#texts/common.ts";
import { percent } from "#texts/language.ts";
import type { Entitlements } from "../../../../client/src/index.ts";

export { bytesNeeded, type Measured, type Plan } from "../../../../src/cameras/storage/forecast.ts";

/** Bytes that the organization may still use. */
export const bytesLeft = ({ documentStorageBytes, usage }: Entitlements): number =>
  Math.max(0, documentStorageBytes - usage.usedBytes - usage.reservedBytes);

/** A share in words: "12%", "less than 1%". */
export function percentOf(part: number, whole: number): string {
  if (whole <= 0) return COMMON.moreThan(percent(1));
  return part / whole < 0.01 ? COMMON.lessThan(percent(0.01)) : percent(part / whole);
}
