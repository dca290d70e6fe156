import { MINUTE, SECOND } from "../../platform/time";
import type { Connection } from "./connection";
import { closeWith, sendMessage } from "./receive";

/*
 * A client gives up when it hears nothing for 30 s. Its own pings are answered, by the runtime where nobody has to
 * wake for it, and what it sends without waiting for an answer is answered by a ping: after that its own next ping is
 * due. Clients that never ping (@aspnet/signalr 1.0), and event streams, whose posts may be answered after what they
 * caused was heard, are sent pings.
 */

/** How often who cannot be relied on to ping is sent one. */
export const PING_EVERY_MS = 15 * SECOND;
/** Time after which a client that could ping by itself would have done so. */
export const FIRST_PING_MS = 20 * SECOND;
/** A client that pings and was not heard of for so long is gone: pages in the background may ping once a minute. */
export const SILENT_AFTER_MS = 3 * MINUTE;
/** How often sockets are looked at: seldom, because it wakes the object. */
export const LOOK_AT_SOCKETS_EVERY_MS = 5 * MINUTE;

const SILENT =
  "Connection closed with an error. OperationCanceledException: Client hasn't sent a message/ping within the configured ClientTimeoutInterval.";

/** Closes a connection whose client is silent, which may come back; answers whether it did. */
export function closeSilent(connection: Connection, now: number): boolean {
  const isSilent = connection.protocol !== null && connection.pings && now - connection.heardAt > SILENT_AFTER_MS;
  if (isSilent) closeWith(connection, SILENT, { allowReconnect: true });
  return isSilent;
}

/** Says that the server is there. Who does not take that is too slow. */
export function sendPing(connection: Connection): void {
  if (connection.protocol !== null && !sendMessage(connection, { type: "ping" })) connection.end();
}
