import { z } from "@hono/zod-openapi";
import { RECORD_SEPARATOR } from "./json";
import type { ProtocolName } from "./messages";

const request = z.looseObject({ protocol: z.string(), version: z.int() });
/** Versions of both protocols that this hub speaks; 2 adds stateful reconnect, which it does not offer. */
const VERSIONS = [1, 2];

export type Handshake =
  | { accepted: true; protocol: ProtocolName; answer: string }
  | { accepted: false; answer: string };

/** The answer that refuses a handshake, in ASP.NET Core's words unless others are given. */
export const refusedHandshake = (error = "Handshake was canceled."): string =>
  JSON.stringify({ error }) + RECORD_SEPARATOR;

const refuse = (error?: string): Handshake => ({ accepted: false, answer: refusedHandshake(error) });

/** Reads the handshake, a connection's first record, which is always JSON; not every transport carries bytes. */
export function readHandshake(record: Uint8Array, carriesBinary: boolean): Handshake {
  let parsed: z.infer<typeof request>;
  try {
    parsed = request.parse(JSON.parse(new TextDecoder().decode(record.subarray(0, -1))));
  } catch {
    return refuse();
  }
  const { protocol, version } = parsed;
  if (protocol !== "json" && protocol !== "messagepack")
    return refuse(`The protocol '${protocol.slice(0, 100)}' is not supported.`);
  if (!VERSIONS.includes(version))
    return refuse(`The server does not support version ${version} of the '${protocol}' protocol.`);
  if (protocol === "messagepack" && !carriesBinary)
    return refuse(
      "Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.",
    );
  return { accepted: true, protocol, answer: `{}${RECORD_SEPARATOR}` };
}
