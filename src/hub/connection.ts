import { z } from "@hono/zod-openapi";
import type { CredentialRef } from "../access";
import { credentialRefSchema } from "../platform/caller";
import type { LocationEvent } from "../platform/ports";
import type { Frame, ProtocolName, RecordReader } from "./protocol";

/** Carries `Arrival` from the Worker to the shard; the Worker always overwrites it. */
export const CONNECTION_HEADER = "x-hub-connection";

export const newConnectionSchema = z.object({
  id: z.string(),
  /** A session without the end of its access token: the connection lives as long as the session. */
  credential: credentialRefSchema,
  /** Known end of the credential, milliseconds since the epoch; null if it has none. It is checked again then. */
  endsAt: z.number().nullable(),
  /** Whether its client sends pings by itself: every client that negotiates with version 1 does. */
  pings: z.boolean(),
});
/** A connection at its start: its id and its credential, without the secret. */
export type NewConnection = z.infer<typeof newConnectionSchema>;

export const arrivalSchema = newConnectionSchema.extend({ negotiatedAt: z.int().nullable(), isLive: z.boolean() });
/**
 * A request to a connection. `negotiatedAt` is null for a socket without negotiation. `isLive` says whether the
 * credential was looked up for this request; if not, the shard looks it up.
 */
export type Arrival = z.infer<typeof arrivalSchema>;

/** The state that a WebSocket keeps during hibernation. `heardAt` has a resolution of one minute. */
export const attachmentSchema = newConnectionSchema.extend({
  protocol: z.enum(["json", "messagepack"]).nullable(),
  heardAt: z.number(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** The needs of a connection to receive an event: access, and a subject that is still at the location. */
export type Need = Pick<LocationEvent, "requires" | "documentId" | "subject">;

/** The need of each event in a frame of a location, in their order. */
export interface LocationGuard {
  locationId: string;
  needs: readonly Need[];
}
/** The needs of a frame that is sent later: the needs of its events, or access to its notification. */
export type Guard = LocationGuard | { notificationId: string };

/** One connection, of any transport. */
export interface Connection {
  readonly id: string;
  readonly credential: CredentialRef;
  /** Known end of its credential, milliseconds since the epoch; null if it has none. */
  readonly endsAt: number | null;
  /** Null until the handshake. */
  readonly protocol: ProtocolName | null;
  /** Data of the client that is not yet a complete record. */
  readonly incoming: RecordReader;
  readonly carriesBinary: boolean;
  /** Whether the transport itself shows each side that the other side is connected. */
  readonly hasInherentKeepAlive: boolean;
  /** Whether its client sends pings by itself, and when it last sent something, milliseconds since the epoch. */
  readonly pings: boolean;
  readonly heardAt: number;
  chooseProtocol(protocol: ProtocolName): void;
  /** Sets when its credential ends, milliseconds; null if never. */
  endAt(endsAt: number | null): void;
  /** Records that its client sent something, and whether it was a ping. */
  heard(now: number, isPing?: boolean): void;
  /**
   * Sends a frame. A frame that has to wait is sent only if `guard` still holds. Returns false when the connection is
   * gone or too slow.
   */
  send(frame: Frame, guard?: Guard): boolean;
  /** Ends the transport after everything sent before has arrived. */
  end(code?: number, reason?: string): void;
}

/** The longest epoch that a client may name: an epoch is a UUID. */
const MAX_EPOCH_CHARACTERS = 64;

/** The last event of a location that a client has received, from which on it wants a replay. */
export const replayRequestSchema = z.strictObject({
  epoch: z.string().max(MAX_EPOCH_CHARACTERS),
  after: z.int().min(0),
});
export type ReplayRequest = z.infer<typeof replayRequestSchema>;

/**
 * The result of a join with a replay. `sequence` is the position that the client has reached. `reload` says that events were missed
 * which are not replayed: the client reads what it shows.
 */
export interface Replayed {
  epoch: string;
  sequence: number;
  reload: boolean;
}
