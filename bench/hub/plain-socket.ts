import { createRequire } from "node:module";

/** The socket that the official client opens in Node. */
type Socket = new (url: string, protocols: string[] | undefined, options: object) => WebSocket;
const require = createRequire(createRequire(import.meta.url).resolve("@microsoft/signalr"));
const NodeSocket = require("ws") as Socket;

/**
 * The same socket without an offer of compression. The Worker refuses compression, but the proxies of `wrangler dev`
 * accept it, and the measurement would include their work and memory.
 */
export class PlainSocket extends NodeSocket {
  constructor(url: string, protocols: string[] | undefined, options: object) {
    super(url, protocols, { ...options, perMessageDeflate: false });
  }
}
