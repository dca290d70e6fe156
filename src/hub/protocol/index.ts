import { parseJson, writeJson } from "./json";
import { parseMessagePack, writeMessagePack } from "./messagepack";
import type { Frame, HubMessage, ProtocolName } from "./messages";

export { type Handshake, readHandshake, refusedHandshake } from "./handshake";
export { JSON_PING, RECORD_SEPARATOR } from "./json";
export { type Frame, frameBytes, type HubMessage, ProtocolError, type ProtocolName } from "./messages";
export { MAX_MESSAGE_BYTES, MessageTooLarge, RecordReader } from "./records";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** One message in a connection's protocol. */
export const writeMessage = (protocol: ProtocolName, message: HubMessage): Frame =>
  protocol === "json" ? writeJson(message) : writeMessagePack(message);

/** The messages in a connection's bytes. @throws ProtocolError. */
export const parseMessages = (protocol: ProtocolName, data: Uint8Array | string): HubMessage[] => {
  if (protocol === "json") return parseJson(typeof data === "string" ? data : decoder.decode(data));
  return parseMessagePack(typeof data === "string" ? encoder.encode(data) : data);
};

/** Messages one after the other in a single frame of each protocol. */
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
