import { InstanceLimiter } from "../platform/http/rate-limit";
import { MINUTE } from "../platform/time";

/*
 * Requests of one person. Each instance of the service counts for itself: an exact count would cost a write for each
 * request. People never reach these limits; they stop programs that search in a loop.
 */
export const searchRateLimit = new InstanceLimiter({ limit: 600, windowMs: MINUTE });
export const suggestionRateLimit = new InstanceLimiter({ limit: 1_200, windowMs: MINUTE });
