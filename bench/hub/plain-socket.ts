import { createRequire } from "node:module";

/** The socket that the official client opens in Node. */
type Socket = new (url: string, protocols: string[] | undefined, options: object) => WebSocket;
const require = createRequire(createRequire(import.meta.url).resolve("@microsoft/signalr"));
const NodeSocket = require("ws") as Socket;

/**
 * The same socket, offering no compression: on the network the Worker refuses it, but `wrangler dev` puts proxies in front
 * that agree to it, and their work and windows would be measured as the service's.
 */
export class PlainSocket extends NodeSocket {
  constructor(url: string, protocols: string[] | undefined, options: object) {
    super(url, protocols, { ...options, perMessageDeflate: false });
  }
}
