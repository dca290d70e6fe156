import { z } from "@hono/zod-openapi";
import { v7 } from "uuid";
import { randomBytes, seededIdOptions } from "./crypto/bytes";

/** Makes a new id: a lower-case UUIDv7 (RFC 9562), so ids sort by creation time. */
export const newId = (): string => v7(seededIdOptions());

/** Bits of an id after the number of its workspace that count the ids of a millisecond. The 32 bits after them are random. */
const COUNTER_BITS = 18;
const counted = { at: 0, counter: 0 };

/** The time and counter of the next id of this isolate, so that ids of one workspace sort by creation. */
function nextPlace(): { at: number; counter: number } {
  const now = Date.now();
  if (now > counted.at) Object.assign(counted, { at: now, counter: randomCounter() });
  else if (++counted.counter >= 2 ** COUNTER_BITS) Object.assign(counted, { at: counted.at + 1, counter: 0 });
  return counted;
}

/** Leaves the upper half of the counter to the ids of the same millisecond. */
function randomCounter(): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return value >>> (32 - COUNTER_BITS + 1);
}

/**
 * The number of a workspace, 24 bits. It is in the workspace's own id and in each id that was made in it, so that an id says
 * where to look for its row. It is a hint: other ids can have the same number by chance.
 */
export function numberOf(id: string): number {
  const upper = Number.parseInt(id.slice(15, 18), 16);
  const lower = (Number.parseInt(id.slice(19, 23), 16) & 0x3fff) >> 2;
  return (upper << 12) | lower;
}

/** Makes a new id in a workspace: a UUIDv7 whose first 24 random bits are the workspace's number. */
export const newIdIn = (workspaceId: string): string => idWithNumber(numberOf(workspaceId));

/**
 * Makes the id of a new workspace or account: a UUIDv7 with a random number. `newId` counts in these bits while the clock
 * stands still or goes back, and workspaces with one number stay in one database.
 */
export function newWorkspaceId(): string {
  const [high = 0, middle = 0, low = 0] = randomBytes(3);
  return idWithNumber((high << 16) | (middle << 8) | low);
}

function idWithNumber(workspaceNumber: number): string {
  const seeded = seededIdOptions();
  const { at, counter } = seeded ? { at: seeded.msecs, counter: seeded.seq } : nextPlace();
  const random = new DataView((seeded?.random ?? crypto.getRandomValues(new Uint8Array(16))).buffer).getUint32(0);
  const number = BigInt(workspaceNumber);
  const tail = (BigInt(counter) << 32n) | BigInt(random);
  const bits =
    (BigInt(at) << 80n) | (7n << 76n) | ((number >> 12n) << 64n) | (2n << 62n) | ((number & 0xfffn) << 50n) | tail;
  const hex = bits.toString(16).padStart(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The smallest id that `newId` can make at a time, milliseconds since the epoch. */
export const earliestId = (at: number): string => {
  const hex = Math.min(Math.max(0, Math.floor(at)), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** The nil UUID (RFC 9562, 5.9). */
export const NIL_ID = "00000000-0000-0000-0000-000000000000";

const ANY_UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** An id: a UUID of any version. A request may write it in any case; it is stored, compared and answered in lower case. */
export const idSchema = z
  .string()
  .regex(ANY_UUID, "must be a UUID")
  .overwrite((id) => id.toLowerCase())
  .openapi({ format: "uuid", example: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10" });
