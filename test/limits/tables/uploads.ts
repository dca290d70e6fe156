import type { LimitTable } from "../row";

export const uploadsLimits: LimitTable<typeof import("../../../src/uploads/limits")> = {
  UPLOAD_PART_BYTES: {
    page: "size | Documents | part of an upload in parts",
    held: "uploads/parts.test.ts > an upload in parts > of the real size of a part is verified",
  },
  MAX_SIGNED_PARTS: { page: "count | Documents | parts whose addresses one request signs", held: "inputs" },
  MAX_IMMEDIATE_VERIFICATION_BYTES: { unheld: "A larger file is verified by its job at once afterwards." },
  UPLOAD_URL_LIFETIME_MS: { page: "time | Documents | lifetime of an upload address", held: "lifetimes" },
  UPLOAD_LIFETIME_MS: { page: "time | Documents | lifetime of an unfinished upload", held: "lifetimes" },
  MAX_VERIFICATION_WAIT_MS: { unheld: "It bounds the time of an answer; the client asks again." },
  VERIFICATION_GRACE_MS: { held: "lifetimes" },
  TRANSFER_GRACE_MS: { held: "lifetimes" },
  ENDED_UPLOAD_RETENTION_MS: { held: "lifetimes" },
};
