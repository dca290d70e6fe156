import { InstanceLimiter } from "../platform/http/rate";
import { MINUTE } from "../platform/time";

/*
 * What one person may ask, counted by each instance of the service: far beyond what hands can do, and a stop for
 * loops, whose every round would cost a write if the count were exact.
 */
export const searchRateLimit = new InstanceLimiter({ limit: 600, windowMs: MINUTE });
export const suggestionRateLimit = new InstanceLimiter({ limit: 1_200, windowMs: MINUTE });
