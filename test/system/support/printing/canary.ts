import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import type { Outside } from "./ways-out";

/** Everything that reaches loopback: requests by path, and connections to the web server and to a plain socket. */
export class Canary {
  readonly requests: string[] = [];
  connections = 0;
  private constructor(
    readonly outside: Outside,
    private readonly close: () => void,
  ) {}

  static async start(): Promise<Canary> {
    const web = createServer((request, response) => {
      canary.requests.push(request.url ?? "");
      response.setHeader("access-control-allow-origin", "*").end("<title>outside</title>");
    });
    const socket = createSocketServer((connection) => {
      canary.connections += 1;
      connection.destroy();
    });
    web.on("connection", () => {
      canary.connections += 1;
    });
    const ports = await Promise.all(
      [web, socket].map(
        (server) =>
          new Promise<number>((done) =>
            server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port)),
          ),
      ),
    );
    const outside = { web: `http://127.0.0.1:${ports[0]}`, socket: `127.0.0.1:${ports[1]}`, domain: "way-out.test" };
    const canary: Canary = new Canary(outside, () => {
      web.closeAllConnections();
      web.close();
      socket.close();
    });
    return canary;
  }

  stop(): void {
    this.close();
  }
}
