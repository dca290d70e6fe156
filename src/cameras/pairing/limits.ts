import type { Context } from "../../platform/context";
import { networkOf } from "../../platform/http/network";
import { consumeRateLimit, type RateLimit } from "../../platform/http/rate";
import { HOUR, MINUTE } from "../../platform/time";

/** Guesses from one network: with 10,000 codes open, they find one in 1.4 million windows. */
const REDEEM_FROM_NETWORK: RateLimit = { limit: 60, windowMs: 15 * MINUTE };
/** Whoever knows a camera's code, from anywhere: a device that retries, and nobody who tries secrets. */
const REDEEM_AT_CAMERA: RateLimit = { limit: 30, windowMs: 15 * MINUTE };
const ENROLL_CAMERA: RateLimit = { limit: 30, windowMs: HOUR };

/** Counts one try of a pairing code, right or wrong. @throws DomainError rate-limited. */
export const limitGuess = (context: Context): Promise<void> =>
  consumeRateLimit(context, `pairing:network:${networkOf(context.origin?.ip ?? "unknown")}`, REDEEM_FROM_NETWORK);

/** Counts one try of a code that this camera was given. @throws DomainError rate-limited. */
export const limitCamera = (context: Context, cameraId: string): Promise<void> =>
  consumeRateLimit(context, `pairing:camera:${cameraId}`, REDEEM_AT_CAMERA);

/** Counts one code made for a camera. @throws DomainError rate-limited. */
export const limitEnrollment = (context: Context, cameraId: string): Promise<void> =>
  consumeRateLimit(context, `pairing:enrollment:${cameraId}`, ENROLL_CAMERA);
