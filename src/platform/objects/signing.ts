import type { Settings } from "../settings";
import type { Signing } from "./sigv4";

/** Path of the Worker's own object endpoint. */
export const OBJECTS_PATH = "/objects";
const OWN_BUCKET = "workspace";

/** The signatures of the Worker's own endpoint, which it accepts whatever the settings say for new addresses. */
export const ownSigning = ({ PUBLIC_BASE_URL, OBJECT_SIGNING_SECRET }: Settings): Signing => ({
  endpoint: new URL(OBJECTS_PATH, PUBLIC_BASE_URL).href,
  bucket: OWN_BUCKET,
  accessKeyId: OWN_BUCKET,
  secretAccessKey: OBJECT_SIGNING_SECRET,
});

/**
 * Whose signatures new addresses have: R2's S3 endpoint, whose bytes never pass the Worker, or the
 * Worker's own endpoint. Everything else is the same for both.
 */
export function signingOf(settings: Settings): Signing {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings;
  if (settings.OBJECT_STORE === "s3" && S3_ENDPOINT && S3_BUCKET && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY)
    return {
      endpoint: S3_ENDPOINT.replace(/\/$/, ""),
      bucket: S3_BUCKET,
      accessKeyId: S3_ACCESS_KEY_ID,
      secretAccessKey: S3_SECRET_ACCESS_KEY,
    };
  return ownSigning(settings);
}
