import { z } from "@hono/zod-openapi";
import type { CredentialRef } from "../../access";
import type { LocationEvent } from "../../platform/ports";
import type { Frame, ProtocolName, RecordReader } from "../protocol";

/** Carries `Arrival` from the Worker to the shard; the Worker always overwrites it. */
export const CONNECTION_HEADER = "x-hub-connection";

export const credentialSchema = z.object({
  kind: z.enum(["session", "pat", "external", "user"]),
  id: z.string(),
  userId: z.string(),
  expiresAt: z.number().nullable(),
}) satisfies z.ZodType<CredentialRef>;

export const newConnectionSchema = z.object({
  id: z.string(),
  credential: credentialSchema,
  /** Whether its client is known to ping by itself: all that negotiate by version 1 do. */
  pings: z.boolean(),
});
/** A connection as it begins: whose it is and what it presented, without the secret. */
export type NewConnection = z.infer<typeof newConnectionSchema>;

export const arrivalSchema = newConnectionSchema.extend({ negotiatedAt: z.int().nullable(), isLive: z.boolean() });
/**
 * A request to a connection. `negotiatedAt` is null for a socket that came without negotiating; `isLive` says whether
 * the credential was looked up for this very request, or is the shard's to look up.
 */
export type Arrival = z.infer<typeof arrivalSchema>;

/** What a WebSocket keeps through hibernation; when its client was heard, to the minute. */
export const attachmentSchema = newConnectionSchema.extend({
  protocol: z.enum(["json", "messagepack"]).nullable(),
  heardAt: z.number(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** What somebody must be allowed to see for a frame, where it has to wait: each event of a location, or a notification. */
export type Guard =
  | { locationId: string; needs: readonly Pick<LocationEvent, "requires" | "documentId">[] }
  | { notificationId: string };

/** One connection, whatever carries it. */
export interface Connection {
  readonly id: string;
  readonly credential: CredentialRef;
  /** Null until the handshake. */
  readonly protocol: ProtocolName | null;
  /** What its client has sent and is not a whole record yet. */
  readonly incoming: RecordReader;
  readonly carriesBinary: boolean;
  /** Whether the transport itself tells both sides that the other is there. */
  readonly hasInherentKeepAlive: boolean;
  /** Whether its client is known to ping by itself, and when it was heard last, milliseconds. */
  readonly pings: boolean;
  readonly heardAt: number;
  chooseProtocol(protocol: ProtocolName): void;
  /** Notes when its credential ends, milliseconds; null never. */
  expireAt(expiresAt: number | null): void;
  /** Notes that its client was heard, and whether by a ping. */
  heard(now: number, isPing?: boolean): void;
  /** Sends a frame, if it has to wait only while `guard` holds; false when the connection is gone or too slow. */
  send(frame: Frame, guard?: Guard): boolean;
  /** Ends the transport; what was sent before arrives first. */
  end(code?: number, reason?: string): void;
}
