import { SECOND } from "../../platform/time";
import type { Connection, NewConnection } from "./connection";
import type { EventStreamConnection } from "./event-stream";
import { LongPollConnection } from "./long-poll";
import { SocketConnection } from "./socket";

/** Time a connection has for its handshake. */
const HANDSHAKE_TIMEOUT = 15 * SECOND;
/** Connections one person may have open: devices and tabs fit, and nobody fills a shard. */
export const MOST_CONNECTIONS = 100;

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
  /** Running deadlines of handshakes; each keeps the object awake, so they end with the handshake. */
  readonly #handshakes = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly ctx: DurableObjectState) {}

  /** Takes a socket over, with what outlives hibernation; answers the client's end. */
  accept({ id, credential }: NewConnection): WebSocket {
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
    this.ctx.acceptWebSocket(server, [id, tagOf(credential.userId)]);
    this.#remember(server, SocketConnection.begin(server, { id, credential }));
    this.#expectHandshake(id);
    return client;
  }

  add(stream: StreamConnection): void {
    this.#streams.set(stream.id, stream);
    this.#expectHandshake(stream.id);
  }

  stream(id: string): StreamConnection | undefined {
    return this.#streams.get(id);
  }

  find(id: string): Connection | null {
    const known = this.#sockets.get(id) ?? this.#streams.get(id);
    if (known !== undefined) return known;
    const [socket] = this.ctx.getWebSockets(id);
    return socket === undefined ? null : this.ofSocket(socket);
  }

  /** The connection that a socket carries. */
  ofSocket(socket: WebSocket): SocketConnection {
    return this.#bySocket.get(socket) ?? this.#remember(socket, SocketConnection.restore(socket));
  }

  /** What carries this connection; null when there is none. */
  transportOf(id: string): Transport | null {
    const stream = this.#streams.get(id);
    if (stream !== undefined) return stream instanceof LongPollConnection ? "poll" : "events";
    return this.ctx.getWebSockets(id).length > 0 ? "socket" : null;
  }

  /** Whether one more connection of this person would be too many. */
  isFull(userId: string): boolean {
    const streams = [...this.#streams.values()].filter(({ credential }) => credential.userId === userId);
    return this.ctx.getWebSockets(tagOf(userId)).length + streams.length >= MOST_CONNECTIONS;
  }

  of(userId: string): Connection[] {
    const streams = [...this.#streams.values()].filter(({ credential }) => credential.userId === userId);
    return [...this.ctx.getWebSockets(tagOf(userId)).map((socket) => this.ofSocket(socket)), ...streams];
  }

  all(): Connection[] {
    return [...this.ctx.getWebSockets().map((socket) => this.ofSocket(socket)), ...this.#streams.values()];
  }

  /** The connection has shaken hands: its deadline is met. */
  shaken(id: string): void {
    clearTimeout(this.#handshakes.get(id));
    this.#handshakes.delete(id);
  }

  forget(id: string): void {
    this.#streams.delete(id);
    this.#sockets.delete(id);
    this.shaken(id);
  }

  #remember(socket: WebSocket, connection: SocketConnection): SocketConnection {
    this.#bySocket.set(socket, connection);
    this.#sockets.set(connection.id, connection);
    return connection;
  }

  #expectHandshake(id: string): void {
    const overdue = setTimeout(() => {
      this.#handshakes.delete(id);
      const connection = this.find(id);
      if (connection !== null && connection.protocol === null) connection.end();
    }, HANDSHAKE_TIMEOUT);
    this.#handshakes.set(id, overdue);
  }
}
