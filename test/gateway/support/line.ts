import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * The treatment of connections by the network. `portal`: a captive portal answers, first with a redirect, then with
 * its own page.
 */
export type LineMode = "whole" | "down" | "cut" | "slow" | "portal";

const PORTAL = [
  "HTTP/1.1 302 Found\r\nlocation: http://portal.test/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
  "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 21\r\nconnection: close\r\n\r\n<html>Sign in!</html>",
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\nconnection: close\r\n\r\n{"signIn":true}',
];
const SLOW_CHUNK = 4_096;
const SLOW_MS = 25;

/** The network between the gateway and the service, with its faults. */
export class Line {
  mode: LineMode = "whole";
  target = 0;
  /** Number of connections so far. The gateway makes one for each request. */
  connections = 0;
  #answers = 0;
  readonly #open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(random: () => number): Promise<Line> {
    const server = createServer();
    const line = new Line(server);
    server.on("connection", (socket) => line.#serve(socket, random));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Changes the mode, and ends all open connections. */
  become(mode: LineMode): void {
    this.mode = mode;
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    this.become("down");
    this.server.close();
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on("close", () => this.#open.delete(socket));
    socket.on("error", () => socket.destroy());
  }

  #serve(near: Socket, random: () => number): void {
    this.#keep(near);
    this.connections++;
    const { mode } = this;
    if (mode === "down") return void near.destroy();
    if (mode === "portal") {
      near.once("data", () => near.end(PORTAL[this.#answers++ % PORTAL.length] ?? ""));
      return;
    }
    const far = connect(this.target, "127.0.0.1");
    this.#keep(far);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    // The connection ends at a random place in the request or its answer.
    let left = mode === "cut" ? Math.floor(random() * 6_000) : Number.POSITIVE_INFINITY;
    const carry = (from: Socket, to: Socket) => {
      from.on("data", (bytes: Buffer) => {
        left -= bytes.length;
        if (left < 0) return void from.destroy();
        if (mode !== "slow") return void to.write(bytes);
        from.pause();
        for (let at = 0; at < bytes.length; at += SLOW_CHUNK) to.write(bytes.subarray(at, at + SLOW_CHUNK));
        setTimeout(() => from.resume(), SLOW_MS * Math.ceil(bytes.length / SLOW_CHUNK));
      });
      from.on("end", () => to.end());
    };
    carry(near, far);
    carry(far, near);
  }
}
