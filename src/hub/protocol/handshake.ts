import { z } from "@hono/zod-openapi";
import { RECORD_SEPARATOR } from "./json";
import type { ProtocolName } from "./messages";

const request = z.looseObject({ protocol: z.string(), version: z.int() });
/** Versions of both protocols that this hub speaks; 2 adds stateful reconnect, which it does not offer. */
const VERSIONS = [1, 2];
const SEPARATOR_BYTE = 0x1e;

export type Handshake =
  | { accepted: true; protocol: ProtocolName; answer: string; rest: Uint8Array<ArrayBuffer> }
  | { accepted: false; answer: string };

const refuse = (error: string): Handshake => ({
  accepted: false,
  answer: JSON.stringify({ error }) + RECORD_SEPARATOR,
});

/** Reads the handshake, always JSON, from a connection's first bytes; `rest` is what came with it. */
export function readHandshake(bytes: Uint8Array<ArrayBuffer>): Handshake {
  const end = bytes.indexOf(SEPARATOR_BYTE);
  if (end < 0) return refuse("Handshake was canceled.");
  let parsed: z.infer<typeof request>;
  try {
    parsed = request.parse(JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))));
  } catch {
    return refuse("Handshake was canceled.");
  }
  const { protocol, version } = parsed;
  if (protocol !== "json" && protocol !== "messagepack")
    return refuse(`The protocol '${protocol.slice(0, 100)}' is not supported.`);
  if (!VERSIONS.includes(version))
    return refuse(`The server does not support version ${version} of the '${protocol}' protocol.`);
  return { accepted: true, protocol, answer: `{}${RECORD_SEPARATOR}`, rest: bytes.slice(end + 1) };
}
