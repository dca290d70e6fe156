import type { Context } from "../../platform/context";
import { networkOf } from "../../platform/http/network";
import { InstanceLimiter } from "../../platform/http/rate";
import { MINUTE } from "../../platform/time";

/** Times or cameras of one batch. */
export const MOST_PREVIEWS = 32;
/** Bytes of a preview, before base64. */
export const LARGEST_PREVIEW = 3_072;
/** Objects that are read at the same time: an isolate has six connections. */
export const READS_AT_ONCE = 6;

/** Batches by address and instance, of people and of those with a link together. */
const batches = new InstanceLimiter({ limit: 120, windowMs: MINUTE });

/** Counts one batch of previews. @throws DomainError rate-limited. */
export const takePreviewBatch = ({ origin, now }: Pick<Context, "origin" | "now">): void =>
  batches.take(networkOf(origin?.ip ?? "unknown"), now);
