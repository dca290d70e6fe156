/*
 * What Cloudflare refuses, in its own units: 1 KB of D1 and Queues is 1,000 bytes, 1 MiB of R2 is 1,048,576.
 * docs/reference/hosted-limits.md lists the pages of developers.cloudflare.com. The local runtime refuses some of them
 * itself.
 */

/** D1 (d1/platform/limits). */
export const MAX_BOUND_PARAMETERS = 100;
export const MAX_STATEMENT_BYTES = 100_000;
export const MAX_PATTERN_BYTES = 50;
export const MAX_FUNCTION_ARGUMENTS = 32;
export const MAX_VALUE_BYTES = 2_000_000;
export const MAX_QUERIES_PER_INVOCATION = 1_000;

/** Queues (queues/platform/limits). */
export const MAX_MESSAGE_BYTES = 128_000;
export const MAX_MESSAGES_PER_BATCH = 100;
export const MAX_BATCH_BYTES = 256_000;

/** R2 (r2/platform/limits, r2/objects/multipart-objects). */
export const MAX_KEY_BYTES = 1_024;
export const MAX_METADATA_BYTES = 8_192;
export const MIN_PART_BYTES = 5 * 1_024 ** 2;

/** Durable Objects (durable-objects/api/websockets, durable-objects/platform/limits). */
export const MAX_ATTACHMENT_BYTES = 16_384;

/** Web Crypto (workers/runtime-apis/web-crypto). */
export const MAX_PBKDF2_ITERATIONS = 100_000;
