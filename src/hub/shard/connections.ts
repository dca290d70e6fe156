import type { Connection, NewConnection } from "../connection";
import {
  FIRST_PING_MS,
  MAX_CONNECTIONS_PER_USER,
  MAX_SILENCE_MS,
  PING_INTERVAL_MS,
  RECORD_TIMEOUT_MS,
  SOCKET_CHECK_INTERVAL_MS,
} from "../limits";
import { closeBroken, closeWith, sendMessage } from "./receive";
import { SocketConnection } from "./socket";
import { type EventStreamConnection, LongPollConnection } from "./streams";

export type StreamConnection = EventStreamConnection | LongPollConnection;
export type Transport = "socket" | "events" | "poll";

/** The tag of one user's sockets. It cannot equal a connection id, which is base64url and has no colon. */
const tagOf = (userId: string): string => `user:${userId}`;

/** The open connections of a shard. The runtime keeps the sockets; streams are in memory. */
export class Connections {
  readonly #streams = new Map<string, StreamConnection>();
  /** Sockets used since the object was loaded, by id and by socket: reading an attachment is slow. */
  readonly #sockets = new Map<string, SocketConnection>();
  readonly #bySocket = new WeakMap<WebSocket, SocketConnection>();
  /** Timers of incomplete records. Each keeps the object awake, so it ends with the record. */
  readonly #deadlines = new Map<string, ReturnType<typeof setTimeout>>();
  /** Ping timers of event streams, which keep the object awake anyway. */
  readonly #pings = new Map<string, ReturnType<typeof setInterval>>();

  constructor(private readonly ctx: DurableObjectState) {}

  /** Accepts a socket with the state that survives hibernation; returns the client's side. */
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

  /** The connection of a socket. */
  ofSocket(socket: WebSocket): SocketConnection {
    return (
      this.#bySocket.get(socket) ?? this.#remember(socket, SocketConnection.restore(socket, this.#answeredAt(socket)))
    );
  }

  /** The transport of this connection; null when there is no such connection. */
  transportOf(id: string): Transport | null {
    const stream = this.#streams.get(id);
    if (stream !== undefined) return stream instanceof LongPollConnection ? "poll" : "events";
    return this.#open(id).length > 0 ? "socket" : null;
  }

  /** Whether this user has reached the limit of connections. */
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

  /**
   * Checks the sockets: closes the sockets of silent clients and returns their ids; pings clients that may not ping.
   */
  lookAtSockets(now: number): string[] {
    const closed: string[] = [];
    for (const socket of this.#open()) {
      const connection = this.ofSocket(socket);
      if (closeSilent(connection, now)) closed.push(connection.id);
      else if (!connection.pings) sendPing(connection);
    }
    return closed;
  }

  /** Time of the next check of the sockets, milliseconds; null when there are none. */
  nextLook(now: number): number | null {
    const open = this.#open();
    if (open.length === 0) return null;
    const needy = open.some((socket) => !this.ofSocket(socket).pings);
    return now + (needy ? PING_INTERVAL_MS : SOCKET_CHECK_INTERVAL_MS);
  }

  /** Time of the first check of a new socket, milliseconds. */
  firstLook({ pings }: NewConnection, now: number): number {
    return now + (pings ? SOCKET_CHECK_INTERVAL_MS : FIRST_PING_MS);
  }

  /** Updates the timer of incomplete records after the client's data was read. */
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

  /** Sockets that are open. The runtime keeps a socket for some time after its client has disconnected. */
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
 * A client disconnects when it receives nothing for 30 s. Each ping of a client is answered, where possible by the
 * runtime without waking the object. A message without an answer is answered with a ping, because the client
 * schedules its next ping when it receives something. The hub itself sends pings to clients that never ping
 * (@aspnet/signalr 1.0) and to event streams, where the answer to a POST may come after the events it caused.
 */

const SILENT =
  "Connection closed with an error. OperationCanceledException: Client hasn't sent a message/ping within the configured ClientTimeoutInterval.";

/** Closes a connection whose client is silent and allows it to reconnect; returns whether it did. */
function closeSilent(connection: Connection, now: number): boolean {
  const isSilent = connection.protocol !== null && connection.pings && now - connection.heardAt > MAX_SILENCE_MS;
  if (isSilent) closeWith(connection, SILENT, { allowReconnect: true });
  return isSilent;
}

/** Sends a ping. Ends a connection that is too slow to receive it. */
function sendPing(connection: Connection): void {
  if (connection.protocol !== null && !sendMessage(connection, { type: "ping" })) connection.end();
}
