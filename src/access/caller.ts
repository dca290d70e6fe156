import type { AccessFacts } from "./permission/facts";

/** Why a credential was not accepted. */
export type Refusal = "malformed" | "unknown" | "expired" | "revoked" | "unverified" | "taken";

interface UserCredential {
  userId: string;
  /** A platform admin, through a credential that is not narrowed. */
  isAdmin: boolean;
  /** Milliseconds since the epoch; null never. */
  expiresAt: number | null;
  facts: AccessFacts;
}

export type SessionCaller = UserCredential & { kind: "session"; sessionId: string };
export type TokenCaller = UserCredential & { kind: "pat"; tokenId: string };
/** A JWT of an outside issuer, bound to a user by its subject. */
export type ExternalCaller = UserCredential & { kind: "external"; issuer: string };
export type UserCaller = SessionCaller | TokenCaller | ExternalCaller;

/** A camera's own credential: it reaches device ingestion alone. */
export interface DeviceCaller {
  kind: "device";
  credentialId: string;
  cameraId: string;
  organizationId: string;
}

/** A stranger with a link to cameras: it reaches the shared archive of one location alone. */
export interface ShareCaller {
  kind: "share";
  linkId: string;
  /** What the link shows, as it stands now. */
  name: string;
  revision: number;
  organizationId: string;
  locationId: string;
  cameraIds: readonly string[];
}

/** Who asks. Anonymous callers carry why their credential, if any, was refused. */
export type Caller =
  | UserCaller
  | DeviceCaller
  | ShareCaller
  | { kind: "anonymous"; refusal: Refusal | null }
  | { kind: "system" };

export const isUser = (caller: Caller): caller is UserCaller =>
  caller.kind === "session" || caller.kind === "pat" || caller.kind === "external";
