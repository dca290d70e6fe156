import { secretTokens } from "../../platform/crypto/secret-token";

/** A camera's credential: `svccam1.<id without hyphens>.<64 hex>`. */
export const { write: writeCredential, read: readCredential } = secretTokens("svccam1");
