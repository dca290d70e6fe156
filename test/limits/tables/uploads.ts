import type { LimitTable } from "../row";

export const uploadsLimits: LimitTable<typeof import("../../../src/uploads/limits")> = {
  UPLOAD_URL_LIFETIME_MS: { page: "time | Documents | lifetime of an upload address", held: "lifetimes" },
  UPLOAD_LIFETIME_MS: { page: "time | Documents | lifetime of an unfinished upload", held: "lifetimes" },
  MAX_VERIFICATION_WAIT_MS: { unheld: "It bounds the time of an answer; the client asks again." },
  VERIFICATION_GRACE_MS: { held: "lifetimes" },
  TRANSFER_GRACE_MS: { held: "lifetimes" },
  ENDED_UPLOAD_RETENTION_MS: { held: "lifetimes" },
};
