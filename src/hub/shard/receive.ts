import { describeFailure, log } from "../../platform/log";
import { frameBytes, type HubMessage, parseMessages, readHandshake, writeMessage } from "../protocol";
import type { Connection } from "./connection";

/** Largest message a client may send, bytes; the limit ASP.NET Core has by default. */
export const LARGEST_MESSAGE = 32 * 1024;
/** WebSocket status codes: a message too big, a violated policy. */
const TOO_BIG = 1009;
const PROTOCOL_VIOLATED = 1002;

/** What a client may call; the answer's error text is what its caller sees. */
export type Invoke = (
  connection: Connection,
  target: string,
  args: readonly unknown[],
) => Promise<{ error: string } | { result: null }>;

export function sendMessage(connection: Connection, message: HubMessage): boolean {
  return connection.protocol !== null && connection.send(writeMessage(connection.protocol, message));
}

/** Says why, and ends the connection. Without `allowReconnect` a client does not come back by itself. */
export function closeWith(
  connection: Connection,
  error: string,
  options: { code?: number; allowReconnect?: boolean } = {},
): void {
  sendMessage(connection, { type: "close", error, ...(options.allowReconnect && { allowReconnect: true }) });
  connection.end(options.code ?? 1000);
}

/** Handles what one frame, or one POST, of a client holds: the handshake first, then messages in order. */
export async function receive(connection: Connection, data: string | ArrayBuffer, invoke: Invoke): Promise<void> {
  let rest: string | Uint8Array = typeof data === "string" ? data : new Uint8Array(data);
  if ((typeof rest === "string" ? frameBytes(rest).length : rest.length) > LARGEST_MESSAGE) {
    const text = `The maximum message size of ${LARGEST_MESSAGE}B was exceeded. The message size can be configured in AddHubOptions.`;
    closeWith(connection, `Connection closed with an error. InvalidDataException: ${text}`, { code: TOO_BIG });
    return;
  }
  if (connection.protocol === null) {
    const handshake = readHandshake(typeof rest === "string" ? frameBytes(rest) : new Uint8Array(rest));
    connection.send(handshake.answer);
    if (!handshake.accepted) return connection.end(PROTOCOL_VIOLATED);
    connection.chooseProtocol(handshake.protocol);
    rest = handshake.rest;
    if (rest.length === 0) return;
  }
  let messages: HubMessage[];
  try {
    messages = parseMessages(connection.protocol ?? "json", rest);
  } catch {
    return closeWith(connection, "Connection closed with an error.");
  }
  for (const message of messages) await handle(connection, message, invoke);
}

async function handle(connection: Connection, message: HubMessage, invoke: Invoke): Promise<void> {
  switch (message.type) {
    case "ping":
      sendMessage(connection, { type: "ping" });
      return;
    case "close":
      connection.end();
      return;
    case "stream-invocation":
      sendMessage(connection, {
        type: "completion",
        invocationId: message.invocationId,
        error: `Unknown hub method '${message.target.slice(0, 200)}'`,
      });
      return;
    case "invocation": {
      const answer = await invokeSafely(connection, message, invoke);
      if (message.invocationId !== null)
        sendMessage(connection, { type: "completion", invocationId: message.invocationId, ...answer });
      return;
    }
    default:
  }
}

async function invokeSafely(
  connection: Connection,
  { target, arguments: args }: HubMessage & { type: "invocation" },
  invoke: Invoke,
) {
  try {
    return await invoke(connection, target, args);
  } catch (thrown) {
    log("error", "hub.invocation-failed", { ...describeFailure(thrown) });
    return { error: `Failed to invoke '${target.slice(0, 200)}' due to an error on the server.` };
  }
}
