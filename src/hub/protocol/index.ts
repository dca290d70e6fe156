import { z } from "@hono/zod-openapi";
import { parseJson, RECORD_SEPARATOR, writeJson } from "./json";
import { parseMessagePack, writeMessagePack } from "./messagepack";
import type { Frame, HubMessage, ProtocolName } from "./messages";

export { JSON_PING } from "./json";
export { type Frame, frameBytes, type HubMessage, ProtocolError, type ProtocolName } from "./messages";
export { MessageTooLarge, RecordReader } from "./records";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** One message in a connection's protocol. */
export const writeMessage = (protocol: ProtocolName, message: HubMessage): Frame =>
  protocol === "json" ? writeJson(message) : writeMessagePack(message);

/** Parses the messages in a connection's bytes. @throws ProtocolError. */
export const parseMessages = (protocol: ProtocolName, data: Uint8Array | string): HubMessage[] => {
  if (protocol === "json") return parseJson(typeof data === "string" ? data : decoder.decode(data));
  return parseMessagePack(typeof data === "string" ? encoder.encode(data) : data);
};

/** Writes all messages into a single frame of each protocol. */
export function writeBatch(messages: readonly HubMessage[]): { json: string; messagepack: Uint8Array<ArrayBuffer> } {
  const packed = messages.map(writeMessagePack);
  const all = new Uint8Array(packed.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of packed) {
    all.set(part, at);
    at += part.length;
  }
  return { json: messages.map(writeJson).join(""), messagepack: all };
}

const request = z.looseObject({ protocol: z.string(), version: z.int() });
/** Supported versions of both protocols. Version 2 adds stateful reconnect, which this hub does not offer. */
const VERSIONS = [1, 2];

type Handshake = { accepted: true; protocol: ProtocolName; answer: string } | { accepted: false; answer: string };

/** The answer that refuses a handshake. The default text is the text of ASP.NET Core. */
export const refusedHandshake = (error = "Handshake was canceled."): string =>
  JSON.stringify({ error }) + RECORD_SEPARATOR;

const refuse = (error?: string): Handshake => ({ accepted: false, answer: refusedHandshake(error) });

/** Reads the handshake: the first record of a connection, always JSON. Not every transport carries binary data. */
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
