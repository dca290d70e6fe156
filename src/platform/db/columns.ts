import { customType } from "drizzle-orm/sqlite-core";
import { fromHex, toHex } from "../crypto/bytes";

/* Column types for tables whose rows are many: the bytes of an id or a digest take half of the space of their text. */

/** D1 gives a BLOB as an array of numbers. */
type Blob = readonly number[] | Uint8Array;

const hexOf = (bytes: Blob): string => toHex(Uint8Array.from(bytes));

/** A lower-case UUID, stored as its 16 bytes. */
export const uuidBlob = customType<{ data: string; driverData: Blob }>({
  dataType: () => "blob",
  toDriver: (id) => fromHex(id.replaceAll("-", "")),
  fromDriver: (bytes) => hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
});

/** Lower-case hex text, stored as its bytes. */
export const hexBlob = customType<{ data: string; driverData: Blob }>({
  dataType: () => "blob",
  toDriver: fromHex,
  fromDriver: hexOf,
});
