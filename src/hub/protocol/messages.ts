/**
 * Messages of the ASP.NET Core SignalR hub protocol, as far as this hub takes part in it.
 * Source: "SignalR Hub Protocol", dotnet/aspnetcore, src/SignalR/docs/specs/HubProtocol.md.
 */
export type HubMessage =
  | { type: "invocation"; invocationId: string | null; target: string; arguments: unknown[] }
  | { type: "stream-invocation"; invocationId: string; target: string }
  | { type: "completion"; invocationId: string; error?: string; result?: unknown }
  | { type: "ping" }
  | { type: "close"; error?: string; allowReconnect?: boolean }
  /** Stream items, cancellations, acknowledgements: read, and of no effect here. */
  | { type: "other" };

/** How a connection's messages are written; chosen by its handshake. */
export type ProtocolName = "json" | "messagepack";

/** A frame as a WebSocket carries it: text for JSON, bytes for MessagePack. */
export type Frame = string | Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

export const frameBytes = (frame: Frame): Uint8Array<ArrayBuffer> =>
  typeof frame === "string" ? new Uint8Array(encoder.encode(frame)) : frame;

/** What a client sent does not follow the protocol. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}
