import { type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr";
import { PlainSocket } from "./plain-socket.ts";

/** Joins of each person before the measured ones. */
const WARM = 3;

/** Official clients that leave and join one location again and again. */
export class Joins {
  readonly #locationId: string;
  readonly #connections: readonly HubConnection[];

  private constructor(locationId: string, connections: readonly HubConnection[]) {
    this.#locationId = locationId;
    this.#connections = connections;
  }

  /** Opens one client for each token. */
  static async open(url: string, locationId: string, tokens: readonly string[]): Promise<Joins> {
    const connections = tokens.map((token) => {
      const options = { accessTokenFactory: () => token, WebSocket: PlainSocket };
      return new HubConnectionBuilder().withUrl(`${url}/sync-hub`, options).configureLogging(LogLevel.None).build();
    });
    for (const connection of connections) await connection.start();
    return new Joins(locationId, connections);
  }

  /** Each client joins in turn, `rounds` times. @returns the times of each client, milliseconds */
  async measure(rounds: number): Promise<number[][]> {
    const times: number[][] = this.#connections.map(() => []);
    for (let round = -WARM; round < rounds; round++)
      for (const [n, connection] of this.#connections.entries()) {
        const began = performance.now();
        await connection.invoke("JoinLocation", this.#locationId);
        if (round >= 0) times[n]?.push(performance.now() - began);
        await connection.invoke("LeaveLocation", this.#locationId);
      }
    return times;
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) await connection.stop();
  }
}
