import { z } from "@hono/zod-openapi";
import { decode, encode } from "@msgpack/msgpack";
import { type HubMessage, ProtocolError } from "./messages";

/** Bits of the length in each byte of the prefix. The top bit says that another byte follows. */
const LENGTH_BITS = 7;
const MAX_PREFIX_SHIFT = 28;

/** Puts the variable-length size before a message. */
function withLength(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix: number[] = [];
  let left = body.length;
  do {
    const more = left >= 1 << LENGTH_BITS;
    prefix.push((left & 0x7f) | (more ? 0x80 : 0));
    left >>>= LENGTH_BITS;
  } while (left > 0);
  const framed = new Uint8Array(prefix.length + body.length);
  framed.set(prefix);
  framed.set(body, prefix.length);
  return framed;
}

/** Reads the length prefix of a message and where the message begins; null when the prefix is incomplete. @throws ProtocolError. */
export function lengthAt(frame: Uint8Array, at: number): { length: number; begins: number } | null {
  let length = 0;
  for (let shift = 0; shift <= MAX_PREFIX_SHIFT; shift += LENGTH_BITS) {
    const byte = frame[at++];
    if (byte === undefined) return null;
    length += (byte & 0x7f) * 2 ** shift;
    if ((byte & 0x80) === 0) return { length, begins: at };
  }
  throw new ProtocolError("The length of a message is not valid.");
}

/** The length-prefixed messages of one binary frame. @throws ProtocolError when one is incomplete. */
function* bodies(frame: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < frame.length; ) {
    const found = lengthAt(frame, at);
    if (found === null || found.begins + found.length > frame.length) throw new ProtocolError("Message is incomplete.");
    at = found.begins + found.length;
    yield frame.subarray(found.begins, at);
  }
}

const message = z.array(z.unknown()).min(1);
const invocation = z
  .tuple([z.literal(1), z.unknown(), z.string().nullish(), z.string(), z.array(z.unknown())])
  .rest(z.unknown());
const streamInvocation = z.tuple([z.literal(4), z.unknown(), z.string(), z.string()]).rest(z.unknown());
const completion = z.tuple([z.literal(3), z.unknown(), z.string(), z.int(), z.unknown().optional()]).rest(z.unknown());
const close = z.tuple([z.literal(7), z.string().nullish(), z.boolean().nullish()]).rest(z.unknown());

function parseBody(body: Uint8Array): HubMessage {
  const fields = message.parse(decode(body));
  switch (fields[0]) {
    case 1: {
      const [, , invocationId, target, args] = invocation.parse(fields);
      return { type: "invocation", invocationId: invocationId ?? null, target, arguments: args };
    }
    case 4: {
      const [, , invocationId, target] = streamInvocation.parse(fields);
      return { type: "stream-invocation", invocationId, target };
    }
    case 3: {
      const [, , invocationId, kind, value] = completion.parse(fields);
      return {
        type: "completion",
        invocationId,
        ...(kind === 1 && { error: String(value) }),
        ...(kind === 3 && { result: value }),
      };
    }
    case 6:
      return { type: "ping" };
    case 7: {
      const [, error, allowReconnect] = close.parse(fields);
      return { type: "close", ...(error != null && { error }), ...(allowReconnect != null && { allowReconnect }) };
    }
    default:
      return { type: "other" };
  }
}

/** Parses the messages of one binary frame. @throws ProtocolError when one is incomplete or invalid. */
export function parseMessagePack(frame: Uint8Array): HubMessage[] {
  try {
    return [...bodies(frame)].map(parseBody);
  } catch (cause) {
    if (cause instanceof ProtocolError) throw cause;
    throw new ProtocolError("Message is not valid.", { cause });
  }
}

/** Kinds of completion: 1 error, 2 nothing, 3 a result. */
const completionOf = (m: HubMessage & { type: "completion" }): unknown[] => {
  if (m.error !== undefined) return [3, {}, m.invocationId, 1, m.error];
  return m.result === undefined ? [3, {}, m.invocationId, 2] : [3, {}, m.invocationId, 3, m.result];
};

const toWire = (m: HubMessage): unknown[] => {
  switch (m.type) {
    case "invocation":
      return [1, {}, m.invocationId, m.target, m.arguments, []];
    case "completion":
      return completionOf(m);
    case "ping":
      return [6];
    case "close":
      return [7, m.error ?? null, ...(m.allowReconnect === undefined ? [] : [m.allowReconnect])];
    default:
      throw new TypeError(`a server does not send ${m.type}`);
  }
};

/** One message, length-prefixed. */
export const writeMessagePack = (m: HubMessage): Uint8Array<ArrayBuffer> => withLength(encode(toWire(m)));
