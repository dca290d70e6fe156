import { type CredentialRef, credentialKey } from "../../access";
import { readBounded } from "../../platform/http/bodies";
import type { Arrival, Connection } from "../connection";
import { MAX_POST_BYTES } from "../limits";
import type { Connections, StreamConnection, Transport } from "./connections";
import type { EarlyPosts, StartedConnections } from "./negotiated";
import { EventStreamConnection, LongPollConnection, type Review } from "./streams";

/** The part of the shard that the transports use. */
export interface TransportPort {
  readonly connections: Connections;
  readonly begun: StartedConnections;
  readonly early: EarlyPosts;
  /** Wakes the object at this time, milliseconds, to end what has expired; null if never. */
  wakeBy(at: number | null): Promise<void>;
  receive(connection: Connection, data: ArrayBuffer): Promise<void>;
  /** Checks access again for the frames that waited for this connection's reader. */
  reviewFor(connection: Pick<Connection, "id" | "credential" | "protocol">): Review;
  /** Continues work after the answer. */
  later(work: Promise<void>): void;
  /** Removes a connection and its subscriptions after the answer. */
  gone(id: string): void;
}

function transportAsked(headers: Headers): Transport {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") return "socket";
  return headers.get("accept")?.includes("text/event-stream") === true ? "events" : "poll";
}

/** Whether a request uses the credential that opened the connection: access is checked for that credential. */
const isSame = (one: { credential: CredentialRef }, other: { credential: CredentialRef }): boolean =>
  credentialKey(one.credential) === credentialKey(other.credential);

/** Answers one request to a connection with the texts and codes that ASP.NET Core's clients expect. */
export async function answerRequest(port: TransportPort, arrival: Arrival, request: Request): Promise<Response> {
  const known = port.connections.stream(arrival.id);
  if (known !== undefined && !isSame(known, arrival)) return unknownConnection();
  switch (request.method) {
    case "GET":
      return attach(port, arrival, known, transportAsked(request.headers));
    case "POST":
      return post(port, arrival, known, request);
    case "DELETE":
      return end(port, arrival.id, known);
    default:
      return plain("", 405);
  }
}

/** The earlier of two times, milliseconds; null means never. */
const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Starts a transport. A connection keeps its first transport and has it only once, except for repeated polls. */
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
    return plain("You have too many open connections. Close some of them.", 429, { "retry-after": "30" });
  const now = Date.now();
  if (!port.begun.admits(arrival, now)) return unknownConnection();
  const posted = port.early.take(arrival);
  const response = begin(port, arrival, asked);
  const look = asked === "socket" ? port.connections.firstLook(arrival, now) : null;
  await port.wakeBy(earlier(arrival.endsAt, look));
  const connection = port.connections.find(arrival.id);
  if (posted !== null && connection !== null) port.later(port.receive(connection, posted));
  return response;
}

function begin(port: TransportPort, arrival: Arrival, asked: Transport): Response {
  const onGone = () => port.gone(arrival.id);
  switch (asked) {
    case "socket":
      return new Response(null, { status: 101, webSocket: port.connections.accept(arrival) });
    case "events": {
      const events: EventStreamConnection = new EventStreamConnection(arrival, onGone, (waiting) =>
        port.reviewFor(events)(waiting),
      );
      port.connections.add(events);
      const headers = {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-store",
        "x-accel-buffering": "no",
      };
      return new Response(events.stream, { headers });
    }
    case "poll": {
      const polls: LongPollConnection = new LongPollConnection(arrival, onGone, (waiting) =>
        port.reviewFor(polls)(waiting),
      );
      port.connections.add(polls);
      return plain("", 200);
    }
  }
}

async function post(
  port: TransportPort,
  arrival: Arrival,
  known: StreamConnection | undefined,
  request: Request,
): Promise<Response> {
  if (known === undefined && port.connections.transportOf(arrival.id) === "socket")
    return plain("POST requests are not allowed for WebSocket connections.", 405);
  if (known === undefined && !port.begun.mayAdmit(arrival, Date.now())) return unknownConnection();
  const body = request.body === null ? new Blob() : await readBounded(request.body, MAX_POST_BYTES);
  if (body === null) return plain("", 413);
  const data = await body.arrayBuffer();
  // The stream may have started while the body arrived.
  const stream = known ?? port.connections.stream(arrival.id);
  if (stream !== undefined) await port.receive(stream, data);
  else if (!port.early.hold(arrival, data)) return plain("", 413);
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

/** A plain-text answer, with the texts and codes that ASP.NET Core's clients expect. */
export const plain = (text: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(text === "" ? null : text, {
    status,
    headers: { "content-type": "text/plain", "cache-control": "no-store", ...headers },
  });

/** The same answer for ids that never existed, ids of other users, and ids of ended connections. */
export const unknownConnection = (): Response => plain("No Connection with that ID", 404);

/** The answer for a credential that is unknown or no longer valid. */
export const unauthorized = (): Response => plain("", 401, { "www-authenticate": 'Bearer realm="workspace"' });
