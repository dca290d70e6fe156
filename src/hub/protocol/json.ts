import { z } from "@hono/zod-openapi";
import { type HubMessage, ProtocolError } from "./messages";

/** Ends every record of the text protocol. */
export const RECORD_SEPARATOR = "\x1e";

/** The exact text of a ping, which the runtime answers without waking an object. */
export const JSON_PING = `{"type":6}${RECORD_SEPARATOR}`;

const record = z.looseObject({ type: z.int() });
const invocation = z.looseObject({
  invocationId: z.string().optional(),
  target: z.string(),
  arguments: z.array(z.unknown()),
});
const streamInvocation = z.looseObject({ invocationId: z.string(), target: z.string() });
const completion = z.looseObject({
  invocationId: z.string(),
  error: z.string().optional(),
  result: z.unknown().optional(),
});
const close = z.looseObject({ error: z.string().optional(), allowReconnect: z.boolean().optional() });

function parseRecord(text: string): HubMessage {
  const message = record.parse(JSON.parse(text));
  switch (message.type) {
    case 1: {
      const { invocationId = null, target, arguments: args } = invocation.parse(message);
      return { type: "invocation", invocationId, target, arguments: args };
    }
    case 4: {
      const { invocationId, target } = streamInvocation.parse(message);
      return { type: "stream-invocation", invocationId, target };
    }
    case 3: {
      const { invocationId, error, result } = completion.parse(message);
      return {
        type: "completion",
        invocationId,
        ...(error !== undefined && { error }),
        ...(result !== undefined && { result }),
      };
    }
    case 6:
      return { type: "ping" };
    case 7: {
      const { error, allowReconnect } = close.parse(message);
      return {
        type: "close",
        ...(error !== undefined && { error }),
        ...(allowReconnect !== undefined && { allowReconnect }),
      };
    }
    default:
      return { type: "other" };
  }
}

/** Parses the messages of one text frame. @throws ProtocolError when a record is incomplete or invalid. */
export function parseJson(text: string): HubMessage[] {
  if (!text.endsWith(RECORD_SEPARATOR)) throw new ProtocolError("Message is incomplete.");
  try {
    return text.slice(0, -1).split(RECORD_SEPARATOR).map(parseRecord);
  } catch (cause) {
    throw new ProtocolError("Message is not valid.", { cause });
  }
}

const toWire = (message: HubMessage): object => {
  switch (message.type) {
    case "invocation":
      return {
        type: 1,
        ...(message.invocationId !== null && { invocationId: message.invocationId }),
        target: message.target,
        arguments: message.arguments,
      };
    case "completion": {
      const { type: _, ...rest } = message;
      return { type: 3, ...rest };
    }
    case "close": {
      const { type: _, ...rest } = message;
      return { type: 7, ...rest };
    }
    case "ping":
      return { type: 6 };
    default:
      throw new TypeError(`a server does not send ${message.type}`);
  }
};

/** One message as a text record. */
export const writeJson = (message: HubMessage): string => JSON.stringify(toWire(message)) + RECORD_SEPARATOR;
