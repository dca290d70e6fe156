import { z } from "@hono/zod-openapi";
import { credentialRefSchema } from "../caller";

/*
 * An address of the Worker's own endpoint names the credential that asked for it and what it shows. So the Worker checks the
 * access again when it serves the bytes. R2 cannot: an address of its S3 endpoint is valid until it expires.
 */

/** The object that an address shows, with the ids that the check of its kind needs. */
const DOWNLOAD_KINDS = ["document", "capture", "rejected-capture", "brand-asset"] as const;

const accessSchema = z.strictObject({
  reader: credentialRefSchema,
  kind: z.enum(DOWNLOAD_KINDS),
  ids: z.array(z.string()).min(1).max(3),
});
/** The credential that an address was signed for, and what it shows. */
export type DownloadAccess = z.infer<typeof accessSchema>;

/** The signed query field of the access. */
export const ACCESS_FIELD = "x-access";

const base64url = { alphabet: "base64url", omitPadding: true } as const;

export const writeAccess = (access: DownloadAccess): string =>
  new TextEncoder().encode(JSON.stringify(access)).toBase64(base64url);

/** Reads a field whose signature was verified. */
export const readAccess = (text: string): DownloadAccess =>
  accessSchema.parse(JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(text, base64url))));
