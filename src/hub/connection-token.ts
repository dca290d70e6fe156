import { z } from "@hono/zod-openapi";
import type { CredentialRef } from "../access";
import { credentialRefSchema } from "../platform/caller";
import { readSigned, writeSigned } from "../platform/crypto/tokens";

const url = { alphabet: "base64url", omitPadding: true } as const;
/** Random bytes of a connection id, and bytes kept of a bearer's digest. */
const ID_BYTES = 16;
const DIGEST_BYTES = 16;
const PURPOSE = "hub-connection";

export const newConnectionId = (): string => crypto.getRandomValues(new Uint8Array(ID_BYTES)).toBase64(url);

/** A digest that identifies a bearer without revealing it. */
export async function digestOf(bearer: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(bearer));
  return new Uint8Array(digest, 0, DIGEST_BYTES).toBase64(url);
}

export interface ConnectionToken {
  /** The shard chosen when the client negotiated: the number of shards may have grown since. */
  shard: string;
  connectionId: string;
  /** Time of the negotiation, milliseconds. The connection must start soon after it. */
  negotiatedAt: number;
  /** The credential with which the client negotiated, and the digest of its bearer token. */
  credential: CredentialRef;
  bearerDigest: string;
  /** Version of the negotiation. */
  version: number;
}

const { kind, id, userId, expiresAt } = credentialRefSchema.shape;
const content = z.tuple([z.string(), z.string(), z.int(), kind, id, userId, expiresAt, z.string(), z.int()]);

/** Writes a token that names a connection and belongs to one user. It is a list to keep URLs short. */
export function writeConnectionToken(secret: string, token: ConnectionToken): Promise<string> {
  const { shard, connectionId, negotiatedAt, credential, bearerDigest, version } = token;
  const fields = [shard, connectionId, negotiatedAt, credential.kind, credential.id, credential.userId];
  return writeSigned(secret, PURPOSE, [...fields, credential.expiresAt, bearerDigest, version]);
}

/** Reads a token; null when this service did not sign it. */
export async function readConnectionToken(secret: string, token: string): Promise<ConnectionToken | null> {
  const read = await readSigned(secret, PURPOSE, token, content);
  if (read === null) return null;
  const [shard, connectionId, negotiatedAt, kind, id, userId, expiresAt, bearerDigest, version] = read;
  return { shard, connectionId, negotiatedAt, credential: { kind, id, userId, expiresAt }, bearerDigest, version };
}
