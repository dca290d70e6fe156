import { z } from "@hono/zod-openapi";
import { v7 } from "uuid";
import { seededIdOptions } from "./crypto/bytes";

/** Makes a new id: a lower-case UUIDv7 (RFC 9562), so ids sort by creation time. */
export const newId = (): string => v7(seededIdOptions());

/** The smallest id that `newId` can make at a time, milliseconds since the epoch. */
export const earliestId = (at: number): string => {
  const hex = Math.min(Math.max(0, Math.floor(at)), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** The nil UUID (RFC 9562, 5.9). */
export const NIL_ID = "00000000-0000-0000-0000-000000000000";

const ANY_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id in requests and answers: a lower-case UUID of any version. */
export const idSchema = z
  .string()
  .regex(ANY_UUID, "must be a lower-case UUID")
  .openapi({ format: "uuid", example: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10" });
