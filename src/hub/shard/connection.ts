import { z } from "@hono/zod-openapi";
import type { CredentialRef } from "../../access";
import type { Frame, ProtocolName } from "../protocol";

/** Carries `Arrival` from the Worker to the shard; the Worker always overwrites it. */
export const CONNECTION_HEADER = "x-hub-connection";

export const credentialSchema = z.object({
  kind: z.enum(["session", "pat", "external", "user"]),
  id: z.string(),
  userId: z.string(),
  expiresAt: z.number().nullable(),
}) satisfies z.ZodType<CredentialRef>;

export const newConnectionSchema = z.object({ id: z.string(), credential: credentialSchema });
/** A connection as it begins: whose it is and what it presented, without the secret. */
export type NewConnection = z.infer<typeof newConnectionSchema>;

export const arrivalSchema = newConnectionSchema.extend({ negotiatedAt: z.int().nullable(), isLive: z.boolean() });
/**
 * A request to a connection. `negotiatedAt` is null for a socket that came without negotiating; `isLive` says whether
 * the credential was looked up for this very request, or is the shard's to look up.
 */
export type Arrival = z.infer<typeof arrivalSchema>;

/** What a WebSocket keeps through hibernation. */
export const attachmentSchema = newConnectionSchema.extend({ protocol: z.enum(["json", "messagepack"]).nullable() });
export type Attachment = z.infer<typeof attachmentSchema>;

/** One connection, whatever carries it. */
export interface Connection {
  readonly id: string;
  readonly credential: CredentialRef;
  /** Null until the handshake. */
  readonly protocol: ProtocolName | null;
  chooseProtocol(protocol: ProtocolName): void;
  /** Notes when its credential ends, milliseconds; null never. */
  expireAt(expiresAt: number | null): void;
  /** Sends a frame; false when the connection is gone or too slow. */
  send(frame: Frame): boolean;
  /** Ends the transport; what was sent before arrives first. */
  end(code?: number, reason?: string): void;
}
