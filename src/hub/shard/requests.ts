import { type CredentialRef, credentialKey } from "../../access";
import { readBounded } from "../../platform/http/bounded";
import { plain, unknownConnection } from "../refusals";
import type { Begun } from "./begun";
import type { Arrival, Connection } from "./connection";
import type { Connections, StreamConnection, Transport } from "./connections";
import { EventStreamConnection } from "./event-stream";
import { LongPollConnection } from "./long-poll";
import { LARGEST_MESSAGE } from "./receive";

/** Bytes of one POST, which may hold several messages: the object's memory is shared by all its connections. */
const LARGEST_POST = 4 * LARGEST_MESSAGE;

/** What the transports need of their shard. */
export interface TransportPort {
  readonly connections: Connections;
  readonly begun: Begun;
  /** Wakes the object when a credential ends, milliseconds; null never. */
  expectEnd(endsAt: number | null): Promise<void>;
  receive(connection: Connection, data: ArrayBuffer): Promise<void>;
  /** Forgets a connection and what it joined, after the answer. */
  gone(id: string): void;
}

function transportAsked(headers: Headers): Transport {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") return "socket";
  return headers.get("accept")?.includes("text/event-stream") === true ? "events" : "poll";
}

/** Whether a request comes through the very credential that opened the connection, which is judged by that. */
const isSame = (one: { credential: CredentialRef }, other: { credential: CredentialRef }): boolean =>
  credentialKey(one.credential) === credentialKey(other.credential);

/** Answers one request to a connection, in the words and codes that ASP.NET Core's clients expect. */
export async function answerRequest(port: TransportPort, arrival: Arrival, request: Request): Promise<Response> {
  const known = port.connections.stream(arrival.id);
  if (known !== undefined && !isSame(known, arrival)) return unknownConnection();
  switch (request.method) {
    case "GET":
      return attach(port, arrival, known, transportAsked(request.headers));
    case "POST":
      return post(port, arrival.id, known, request);
    case "DELETE":
      return end(port, arrival.id, known);
    default:
      return plain("", 405);
  }
}

/** A connection keeps the transport it began with, and but one of it; only polls come again and again. */
async function attach(
  port: TransportPort,
  arrival: Arrival,
  known: StreamConnection | undefined,
  asked: Transport,
): Promise<Response> {
  const held = port.connections.transportOf(arrival.id);
  if (held !== null && held !== asked) return plain("Cannot change transports mid-connection", 400);
  if (known instanceof LongPollConnection) return known.poll();
  if (held !== null) return plain("", 409);
  const { credential } = arrival;
  if (port.connections.isFull(credential.userId))
    return plain("Too many connections of one person. Close some.", 429, { "retry-after": "30" });
  if (!port.begun.admits(arrival, Date.now())) return unknownConnection();
  const response = begin(port, arrival, asked);
  await port.expectEnd(credential.expiresAt);
  return response;
}

function begin(port: TransportPort, arrival: Arrival, asked: Transport): Response {
  const onGone = () => port.gone(arrival.id);
  switch (asked) {
    case "socket":
      return new Response(null, { status: 101, webSocket: port.connections.accept(arrival) });
    case "events": {
      const events = new EventStreamConnection(arrival, onGone);
      port.connections.add(events);
      const headers = {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-store",
        "x-accel-buffering": "no",
      };
      return new Response(events.stream, { headers });
    }
    case "poll":
      port.connections.add(new LongPollConnection(arrival, onGone));
      return plain("", 200);
  }
}

async function post(
  port: TransportPort,
  id: string,
  known: StreamConnection | undefined,
  request: Request,
): Promise<Response> {
  if (known === undefined) {
    const isSocket = port.connections.transportOf(id) === "socket";
    return isSocket ? plain("POST requests are not allowed for WebSocket connections.", 405) : unknownConnection();
  }
  const body = request.body === null ? new Blob() : await readBounded(request.body, LARGEST_POST);
  if (body === null) return plain("", 413);
  await port.receive(known, await body.arrayBuffer());
  return plain("", 200);
}

function end(port: TransportPort, id: string, known: StreamConnection | undefined): Response {
  if (known instanceof LongPollConnection) {
    known.discard();
    port.gone(id);
    return plain("", 202);
  }
  const held = port.connections.transportOf(id);
  return held === null
    ? unknownConnection()
    : plain("Cannot terminate this connection using the DELETE endpoint.", 400);
}
