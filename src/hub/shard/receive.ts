import { newId } from "../../platform/ids";
import { describeFailure, log, noteCaller, withOrigin } from "../../platform/log";
import type { Connection, Guard } from "../connection";
import { MAX_IN_FLIGHT_BYTES, MAX_MESSAGE_BYTES } from "../limits";
import {
  type HubMessage,
  MessageTooLarge,
  ProtocolError,
  parseMessages,
  readHandshake,
  refusedHandshake,
  writeMessage,
} from "../protocol";

/** WebSocket status codes: the message is too big, the protocol is violated. */
const TOO_BIG = 1009;
const PROTOCOL_VIOLATED = 1002;
const TOO_LARGE = `InvalidDataException: The maximum message size of ${MAX_MESSAGE_BYTES}B was exceeded. The message size can be configured in AddHubOptions.`;

/** The result of a hub method: nothing, a value, or the error text that its caller sees. */
export type Answer = { error?: string; result?: unknown };

/** Runs a hub method for a client. */
type Invoke = (connection: Connection, target: string, args: readonly unknown[]) => Promise<Answer>;

export function sendMessage(connection: Connection, message: HubMessage, guard?: Guard): boolean {
  return connection.protocol !== null && connection.send(writeMessage(connection.protocol, message), guard);
}

/** Sends the reason and ends the connection. Without `allowReconnect` the client does not reconnect. */
export function closeWith(
  connection: Connection,
  error: string,
  options: { code?: number; allowReconnect?: boolean } = {},
): void {
  sendMessage(connection, { type: "close", error, ...(options.allowReconnect && { allowReconnect: true }) });
  connection.end(options.code ?? 1000);
}

/** Ends a connection whose client violated the protocol, with invalid data or an incomplete record. */
export function closeBroken(connection: Connection, why?: unknown): void {
  const isTooLarge = why instanceof MessageTooLarge;
  if (connection.protocol === null) {
    connection.send(refusedHandshake());
    connection.end(isTooLarge ? TOO_BIG : PROTOCOL_VIOLATED);
  } else if (isTooLarge) closeWith(connection, `Connection closed with an error. ${TOO_LARGE}`, { code: TOO_BIG });
  else closeWith(connection, "Connection closed with an error.");
}

/** The complete messages that a client has sent, in order. */
interface Incoming {
  messages: HubMessage[];
  /** Whether the data completed a record. The handshake is also a record. */
  ended: "a record" | "nothing";
}

/**
 * Reads the data of a frame or a POST: the handshake first, then messages. Returns null when it has ended the
 * connection. No message is read if the client exceeds its unanswered bytes (`isTooMuch`).
 */
export function readIncoming(connection: Connection, data: string | ArrayBuffer, isTooMuch: boolean): Incoming | null {
  const messages: HubMessage[] = [];
  let ended: Incoming["ended"] = "nothing";
  try {
    connection.incoming.push(data);
    for (;;) {
      const { protocol } = connection;
      const record = connection.incoming.next(protocol ?? "json");
      if (record === null) return { messages, ended };
      if (isTooMuch) {
        closeWith(connection, "Connection closed with an error. Too many messages are unanswered.");
        return null;
      }
      ended = "a record";
      if (protocol !== null) messages.push(...parseMessages(protocol, record));
      else if (!completeHandshake(connection, record)) return null;
    }
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    closeBroken(connection, thrown);
    return null;
  }
}

function completeHandshake(connection: Connection, record: Uint8Array): boolean {
  const handshake = readHandshake(record, connection.carriesBinary);
  connection.send(handshake.answer);
  if (handshake.accepted) connection.chooseProtocol(handshake.protocol);
  else connection.end(PROTOCOL_VIOLATED);
  return handshake.accepted;
}

/**
 * Handles the messages of one frame or POST. A client schedules its next ping when it receives something, so messages
 * without an answer are answered with a ping.
 */
export async function handleMessages(connection: Connection, messages: HubMessage[], invoke: Invoke): Promise<void> {
  let isAnswered = connection.hasInherentKeepAlive || messages.length === 0;
  for (const message of messages) {
    if (message.type === "close") return connection.end();
    isAnswered = (await handle(connection, message, invoke)) || isAnswered;
  }
  if (!isAnswered) sendMessage(connection, { type: "ping" });
}

/** Handles one message. Returns whether it sent an answer. */
async function handle(connection: Connection, message: HubMessage, invoke: Invoke): Promise<boolean> {
  switch (message.type) {
    case "ping":
      connection.heard(Date.now(), true);
      return sendMessage(connection, { type: "ping" });
    case "stream-invocation":
      return sendMessage(connection, {
        type: "completion",
        invocationId: message.invocationId,
        error: `Unknown hub method '${message.target.slice(0, 200)}'`,
      });
    case "invocation": {
      const answer = await invokeSafely(connection, message, invoke);
      const { invocationId } = message;
      return invocationId !== null && sendMessage(connection, { type: "completion", invocationId, ...answer });
    }
    default:
      return false;
  }
}

async function invokeSafely(
  connection: Connection,
  { target, arguments: args }: HubMessage & { type: "invocation" },
  invoke: Invoke,
): Promise<Answer> {
  // A call is a request of its own.
  return withOrigin({ requestId: newId(), workspace: null, caller: "anonymous" }, async () => {
    noteCaller(connection.credential.kind);
    try {
      return await invoke(connection, target, args);
    } catch (thrown) {
      log("error", "hub.invocation-failed", { ...describeFailure(thrown) });
      return { error: `Failed to invoke '${target.slice(0, 200)}' due to an error on the server.` };
    }
  });
}

/** Bytes that clients sent and the object still processes, by connection: a socket has no back-pressure. */
export class InFlightBytes {
  readonly #bytes = new Map<string, number>();

  /** Counts a message; returns false and counts nothing when the connection would exceed the limit. */
  begin(connectionId: string, bytes: number): boolean {
    const all = (this.#bytes.get(connectionId) ?? 0) + bytes;
    if (all > MAX_IN_FLIGHT_BYTES) return false;
    this.#bytes.set(connectionId, all);
    return true;
  }

  end(connectionId: string, bytes: number): void {
    const left = (this.#bytes.get(connectionId) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(connectionId, left);
    else this.#bytes.delete(connectionId);
  }
}
