import { PlainSocket } from "./plain-socket.ts";

/** Connections that are opened in parallel. */
const AT_ONCE = 50;
const END = "\x1e";
const MAX_WAIT_MS = 30_000;

/**
 * Many plain connections, each after handshake and join, with less memory than the official client. They send no pings,
 * because the measurement is shorter than the timeout of a client.
 */
export class Crowd {
  readonly #sockets: WebSocket[] = [];
  /** When each connection received its last event, ms of `performance.now()`; 0 means never. */
  readonly #heardAt: number[] = [];
  /** The reasons of failed connections, with their numbers. */
  readonly refusals = new Map<string, number>();
  broken = 0;

  get size(): number {
    return this.#sockets.length;
  }

  /** Opens one connection for each token, and joins the location. */
  async open(url: string, locationId: string, tokens: readonly string[]): Promise<void> {
    for (let at = 0; at < tokens.length; at += AT_ONCE)
      await Promise.all(
        tokens
          .slice(at, at + AT_ONCE)
          .map((token) =>
            this.#open(url, locationId, token).catch(({ message }: Error) =>
              this.refusals.set(message, (this.refusals.get(message) ?? 0) + 1),
            ),
          ),
      );
  }

  #open(url: string, locationId: string, token: string): Promise<void> {
    const socket = new PlainSocket(`${url.replace("http", "ws")}/sync-hub?access_token=${token}`, undefined, {});
    return new Promise((resolve, reject) => {
      const overdue = setTimeout(() => reject(new Error("no answer in time")), MAX_WAIT_MS);
      let n = -1;
      const join = { type: 1, invocationId: "1", target: "JoinLocation", arguments: [locationId] };
      socket.addEventListener("open", () =>
        socket.send(`{"protocol":"json","version":1}${END}${JSON.stringify(join)}${END}`),
      );
      socket.addEventListener("error", () => reject(new Error("refused")));
      socket.addEventListener("close", () => {
        this.broken++;
      });
      socket.addEventListener("message", ({ data }) => {
        const text = String(data);
        if (n >= 0) this.#heardAt[n] = performance.now();
        else if (text.includes('"invocationId":"1"')) {
          clearTimeout(overdue);
          if (text.includes('"error"')) return reject(new Error("not joined"));
          n = this.#sockets.push(socket) - 1;
          this.#heardAt[n] = 0;
          resolve();
        }
      });
    });
  }

  /** The arrival of the event of `send` at each connection, ms after the call. Connections without it are left out. */
  async hear(send: () => Promise<unknown>): Promise<number[]> {
    const called = performance.now();
    const heard = () => this.#heardAt.filter((at) => at > called);
    await send();
    while (heard().length < this.size && performance.now() < called + MAX_WAIT_MS)
      await new Promise((done) => setTimeout(done, 20));
    return heard().map((at) => at - called);
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }
}
