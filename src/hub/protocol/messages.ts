/**
 * The messages of the ASP.NET Core SignalR hub protocol that this hub uses.
 * Source: "SignalR Hub Protocol", dotnet/aspnetcore, src/SignalR/docs/specs/HubProtocol.md.
 */
export type HubMessage =
  | { type: "invocation"; invocationId: string | null; target: string; arguments: unknown[] }
  | { type: "stream-invocation"; invocationId: string; target: string }
  | { type: "completion"; invocationId: string; error?: string; result?: unknown }
  | { type: "ping" }
  | { type: "close"; error?: string; allowReconnect?: boolean }
  /** Stream items, cancellations and acknowledgements: they are read and ignored. */
  | { type: "other" };

/** The encoding of a connection's messages; its handshake chooses it. */
export type ProtocolName = "json" | "messagepack";

/** A frame as a WebSocket carries it: text for JSON, bytes for MessagePack. */
export type Frame = string | Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

export const frameBytes = (frame: Frame): Uint8Array<ArrayBuffer> =>
  typeof frame === "string" ? new Uint8Array(encoder.encode(frame)) : frame;

/** A client sent data that does not follow the protocol. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}
