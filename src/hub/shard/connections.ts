import { MINUTE, SECOND } from "../../platform/time";
import type { Connection, NewConnection } from "./connection";
import { closeBroken, closeWith, sendMessage } from "./receive";
import { SocketConnection } from "./socket";
import { type EventStreamConnection, LongPollConnection } from "./streams";

/** Time a connection has for its handshake, and to end a record that it began. */
export const RECORD_TIMEOUT_MS = 15 * SECOND;
/** Connections one person may have open: devices and tabs fit, and nobody fills a shard. */
export const MAX_CONNECTIONS_PER_USER = 100;

export type StreamConnection = EventStreamConnection | LongPollConnection;
export type Transport = "socket" | "events" | "poll";

/** Marks the sockets of one person; connection ids are base64url and have no colon. */
const tagOf = (userId: string): string => `user:${userId}`;

/** The open connections of a shard: sockets as the runtime keeps them, streams in memory. */
export class Connections {
  readonly #streams = new Map<string, StreamConnection>();
  /** Sockets that were looked at since the object came into memory, by id and by the socket: reading an attachment costs. */
  readonly #sockets = new Map<string, SocketConnection>();
  readonly #bySocket = new WeakMap<WebSocket, SocketConnection>();
  /** Running deadlines of records; each keeps the object awake, so they end with the record. */
  readonly #deadlines = new Map<string, ReturnType<typeof setTimeout>>();
  /** What keeps event streams going; they keep the object awake as it is. */
  readonly #pings = new Map<string, ReturnType<typeof setInterval>>();

  constructor(private readonly ctx: DurableObjectState) {}

  /** Takes a socket over, with what outlives hibernation; answers the client's end. */
  accept(begins: NewConnection): WebSocket {
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server, [begins.id, tagOf(begins.credential.userId)]);
    this.#remember(server, SocketConnection.begin(server, this.#answeredAt(server), begins));
    this.#expectRecord(begins.id);
    return client;
  }

  add(stream: StreamConnection): void {
    this.#streams.set(stream.id, stream);
    this.#expectRecord(stream.id);
    if (stream.hasInherentKeepAlive) return;
    const ping = () => closeSilent(stream, Date.now()) || sendPing(stream);
    this.#pings.set(stream.id, setInterval(ping, PING_INTERVAL_MS));
  }

  stream(id: string): StreamConnection | undefined {
    return this.#streams.get(id);
  }

  find(id: string): Connection | null {
    const known = this.#sockets.get(id) ?? this.#streams.get(id);
    if (known !== undefined) return known;
    const [socket] = this.#open(id);
    return socket === undefined ? null : this.ofSocket(socket);
  }

  /** The connection that a socket carries. */
  ofSocket(socket: WebSocket): SocketConnection {
    return (
      this.#bySocket.get(socket) ?? this.#remember(socket, SocketConnection.restore(socket, this.#answeredAt(socket)))
    );
  }

  /** What carries this connection; null when there is none. */
  transportOf(id: string): Transport | null {
    const stream = this.#streams.get(id);
    if (stream !== undefined) return stream instanceof LongPollConnection ? "poll" : "events";
    return this.#open(id).length > 0 ? "socket" : null;
  }

  /** Whether one more connection of this person would be too many. */
  isFull(userId: string): boolean {
    const streams = [...this.#streams.values()].filter(({ credential }) => credential.userId === userId);
    return this.#open(tagOf(userId)).length + streams.length >= MAX_CONNECTIONS_PER_USER;
  }

  of(userId: string): Connection[] {
    const streams = [...this.#streams.values()].filter(({ credential }) => credential.userId === userId);
    return [...this.#open(tagOf(userId)).map((socket) => this.ofSocket(socket)), ...streams];
  }

  all(): Connection[] {
    return [...this.#open().map((socket) => this.ofSocket(socket)), ...this.#streams.values()];
  }

  /** Looks at the sockets: who is silent is closed, and answered; who may not ping by itself is sent one. */
  lookAtSockets(now: number): string[] {
    const closed: string[] = [];
    for (const socket of this.#open()) {
      const connection = this.ofSocket(socket);
      if (closeSilent(connection, now)) closed.push(connection.id);
      else if (!connection.pings) sendPing(connection);
    }
    return closed;
  }

  /** When sockets want to be looked at next, milliseconds; null when there are none. */
  nextLook(now: number): number | null {
    const open = this.#open();
    if (open.length === 0) return null;
    const needy = open.some((socket) => !this.ofSocket(socket).pings);
    return now + (needy ? PING_INTERVAL_MS : SOCKET_CHECK_INTERVAL_MS);
  }

  /** When a socket that has just begun wants to be looked at, milliseconds. */
  firstLook({ pings }: NewConnection, now: number): number {
    return now + (pings ? SOCKET_CHECK_INTERVAL_MS : FIRST_PING_MS);
  }

  /** A connection's client was heard, and what it said was read: a record that it began is due soon. */
  heard(connection: Connection, ended: "a record" | "nothing"): void {
    if (ended === "a record") this.#expectNothing(connection.id);
    const isDue = connection.protocol === null || connection.incoming.isMidway;
    if (isDue && !this.#deadlines.has(connection.id)) this.#expectRecord(connection.id);
  }

  forget(id: string): void {
    this.#streams.delete(id);
    this.#sockets.delete(id);
    this.#expectNothing(id);
    clearInterval(this.#pings.get(id));
    this.#pings.delete(id);
  }

  #remember(socket: WebSocket, connection: SocketConnection): SocketConnection {
    this.#bySocket.set(socket, connection);
    this.#sockets.set(connection.id, connection);
    return connection;
  }

  /** Sockets that were not closed yet; one whose other side is lost stays with the runtime for some time. */
  #open(tag?: string): WebSocket[] {
    return this.ctx.getWebSockets(tag).filter(({ readyState }) => readyState === WebSocket.OPEN);
  }

  #answeredAt(socket: WebSocket): () => number | null {
    return () => this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? null;
  }

  #expectRecord(id: string): void {
    const overdue = setTimeout(() => {
      this.#deadlines.delete(id);
      const connection = this.find(id);
      if (connection !== null) closeBroken(connection);
    }, RECORD_TIMEOUT_MS);
    this.#deadlines.set(id, overdue);
  }

  #expectNothing(id: string): void {
    clearTimeout(this.#deadlines.get(id));
    this.#deadlines.delete(id);
  }
}

/*
 * A client gives up when it hears nothing for 30 s. Its own pings are answered, by the runtime where nobody has to
 * wake for it, and what it sends without waiting for an answer is answered by a ping: after that its own next ping is
 * due. Clients that never ping (@aspnet/signalr 1.0), and event streams, whose posts may be answered after what they
 * caused was heard, are sent pings.
 */

/** How often who cannot be relied on to ping is sent one. */
export const PING_INTERVAL_MS = 15 * SECOND;
/** Time after which a client that could ping by itself would have done so. */
export const FIRST_PING_MS = 20 * SECOND;
/** A client that pings and was not heard of for so long is gone: pages in the background may ping once a minute. */
export const MAX_SILENCE_MS = 3 * MINUTE;
/** How often sockets are looked at: seldom, because it wakes the object. */
export const SOCKET_CHECK_INTERVAL_MS = 5 * MINUTE;

const SILENT =
  "Connection closed with an error. OperationCanceledException: Client hasn't sent a message/ping within the configured ClientTimeoutInterval.";

/** Closes a connection whose client is silent, which may come back; answers whether it did. */
function closeSilent(connection: Connection, now: number): boolean {
  const isSilent = connection.protocol !== null && connection.pings && now - connection.heardAt > MAX_SILENCE_MS;
  if (isSilent) closeWith(connection, SILENT, { allowReconnect: true });
  return isSilent;
}

/** Says that the server is there. Who does not take that is too slow. */
function sendPing(connection: Connection): void {
  if (connection.protocol !== null && !sendMessage(connection, { type: "ping" })) connection.end();
}
