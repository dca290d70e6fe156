import {
  type HubConnection,
  HubConnectionBuilder,
  type IHubProtocol,
  JsonHubProtocol,
  LogLevel,
} from "@microsoft/signalr";
import { PlainSocket } from "./plain-socket.ts";

/** Connections that are opened in parallel. */
const AT_ONCE = 20;

export interface Received {
  /** The mark of the event, and its arrival, ms of `performance.now()`. */
  mark: string;
  at: number;
}

/** Official clients in this process, all joined to one location. */
export class Clients {
  readonly received: Received[][] = [];
  readonly #connections: HubConnection[] = [];
  #rejoined = 0;
  /** The number of broken connections. */
  drops = 0;

  /** Opens one client for each token. */
  static async open(
    url: string,
    locationId: string,
    tokens: readonly string[],
    protocol: IHubProtocol = new JsonHubProtocol(),
  ): Promise<Clients> {
    const clients = new Clients();
    const open = (token: string) => clients.#open(url, locationId, token, protocol);
    for (let at = 0; at < tokens.length; at += AT_ONCE) await Promise.all(tokens.slice(at, at + AT_ONCE).map(open));
    return clients;
  }

  async #open(url: string, locationId: string, token: string, protocol: IHubProtocol): Promise<void> {
    const options = { accessTokenFactory: () => token, WebSocket: PlainSocket };
    const connection = new HubConnectionBuilder()
      .withUrl(`${url}/sync-hub`, options)
      .withAutomaticReconnect()
      .withHubProtocol(protocol)
      .configureLogging(LogLevel.None)
      .build();
    const heard: Received[] = [];
    connection.on("StateUpdated", (_location: string, payload: { subject: { id: string } }) => {
      heard.push({ mark: payload.subject.id, at: performance.now() });
    });
    connection.onreconnecting(() => {
      this.drops++;
    });
    const rejoin = async () => {
      await connection.invoke("JoinLocation", locationId);
      this.#rejoined++;
    };
    connection.onreconnected(() => void rejoin());
    await connection.start();
    await connection.invoke("JoinLocation", locationId);
    this.#connections.push(connection);
    this.received.push(heard);
  }

  get size(): number {
    return this.#connections.length;
  }

  /** The number of events that every client has received. */
  get heard(): number {
    return Math.min(...this.received.map((events) => events.length));
  }

  /**
   * Resolves with 0 when each client has `count` more events than in `from`, or after `withinMs` with the number of
   * missing ones.
   */
  async expect(count: number, from: number, withinMs: number): Promise<number> {
    const missing = () => this.received.reduce((sum, heard) => sum + Math.max(0, from + count - heard.length), 0);
    const deadline = performance.now() + withinMs;
    while (missing() > 0 && performance.now() < deadline) await new Promise((done) => setTimeout(done, 10));
    return missing();
  }

  /** The clients that have reconnected and joined again. */
  get rejoined(): number {
    return this.#rejoined;
  }

  /** Starts to count reconnected clients. */
  expectRejoins(): void {
    this.#rejoined = 0;
  }

  /** Resolves when all clients have reconnected and joined, or after the timeout, with their number. */
  async allRejoined(withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    while (this.#rejoined < this.size && performance.now() < deadline)
      await new Promise((done) => setTimeout(done, 10));
    return this.#rejoined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.stop()));
  }
}
