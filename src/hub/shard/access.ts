import { type CredentialRef, credentialKey, loadCredential, loadCredentialEnds } from "../../access";
import { countVisible, type NotificationDto, readVisible } from "../../notifications";
import type { Context } from "../../platform/context";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import type { UserNotifications } from "../../platform/ports";
import type { Connection, Guard, LocationGuard, Need } from "../connection";
import { CLOCK_TOLERANCE_MS, RECHECK_MEMORY_MS } from "../limits";
import { authorize } from "../location";
import { frameBytes, type ProtocolName, parseMessages, writeMessage } from "../protocol";
import type { Connections } from "./connections";
import { closeWith, sendMessage } from "./receive";
import type { WaitingFrame } from "./streams";
import type { Subscriptions } from "./subscriptions";

/** The reason sent when a credential is no longer valid; the client must not reconnect. */
const CREDENTIAL_DEAD = "The credential of this connection is no longer valid.";

/** Connections of one session are distinguished by their tokens' expiry. */
const asPresented = (credential: CredentialRef): string => `${credentialKey(credential)} ${credential.expiresAt}`;

/** The notifications of its user that a credential may see now, with its unread count; null when the credential is no longer valid. */
async function visibleFor(
  context: Context,
  credential: CredentialRef,
  ids: readonly string[],
): Promise<(NotificationDto & { unreadCount: number })[] | null> {
  const live = await loadCredential(context, credential, Date.now());
  if (live === null) return null;
  const visible = await readVisible(context, live, ids, live.language ?? DEFAULT_LANGUAGE);
  if (visible.length === 0) return [];
  const unreadCount = await countVisible(context, live);
  return visible.map((notification) => ({ ...notification, unreadCount }));
}

/**
 * Sends each user's notifications to each connection of the user, as far as the connection's credential may see them.
 */
export async function notifyConnections(
  context: Context,
  connections: Connections,
  given: readonly UserNotifications[],
): Promise<void> {
  for (const { userId, notificationIds } of given) {
    for (const sharing of Map.groupBy(connections.of(userId), ({ credential }) => asPresented(credential)).values()) {
      const [first] = sharing;
      if (first === undefined) continue;
      const visible = await visibleFor(context, first.credential, notificationIds);
      for (const connection of sharing) {
        if (visible === null) closeWith(connection, CREDENTIAL_DEAD);
        for (const notification of visible ?? [])
          sendMessage(
            connection,
            { type: "invocation", invocationId: null, target: "NotificationReceived", arguments: [notification] },
            { notificationId: notification.id },
          );
      }
    }
  }
}

/** The reason sent when a credential expired: the client may reconnect with a new one. */
const CREDENTIAL_EXPIRED = "The credential of this connection has expired.";

/**
 * Closes the connections whose credential is no longer valid, and revokes subscriptions that are no longer allowed. For
 * the others it updates their end, because a token's expiry or the grant of a subscription may have changed.
 * @returns the connections that stay open
 */
export async function recheckConnections(
  context: Context,
  connections: readonly Connection[],
  subscriptions: Subscriptions,
  lose: (connectionId: string, locationId: string) => Promise<void>,
): Promise<Connection[]> {
  const alive = await closeDead(context, connections);
  const joined = alive.flatMap((connection) =>
    subscriptions.locationsOf(connection.id).map((locationId) => ({ connection, locationId })),
  );
  for (const [locationId, here] of Map.groupBy(joined, (join) => join.locationId)) {
    const access = await authorize(
      context,
      locationId,
      here.map(({ connection }) => connection),
      [],
    );
    for (const { connection } of here) {
      if (access.mayView(connection)) subscriptions.setEnd(connection.id, locationId, access.endsAt(connection));
      else await lose(connection.id, locationId);
    }
  }
  return alive;
}

/**
 * Tells connections that the access of their users may have become smaller: the places that a client shows and has not
 * joined are no longer certain. It says nothing else.
 */
export function tellAccessChanged(connections: readonly Connection[]): void {
  for (const connection of connections)
    sendMessage(connection, { type: "invocation", invocationId: null, target: "AccessChanged", arguments: [] });
}

/** The connections that were checked again recently. A frame whose access was read before that is checked once more. */
export class RecentRechecks {
  readonly #at = new Map<string, number>();

  /** @param now milliseconds since the epoch */
  note(connections: readonly Connection[], now: number): void {
    for (const [id, at] of this.#at) if (at <= now - RECHECK_MEMORY_MS) this.#at.delete(id);
    for (const { id } of connections) this.#at.set(id, now);
  }

  /** Whether the connection was checked after this time of another object's clock, milliseconds. */
  isSince(connectionId: string, time: number): boolean {
    return (this.#at.get(connectionId) ?? -Infinity) >= time - CLOCK_TOLERANCE_MS;
  }
}

async function closeDead(context: Context, connections: readonly Connection[]): Promise<Connection[]> {
  const credentials = connections.map(({ credential }) => credential);
  const ends = await loadCredentialEnds(context.directory, credentials, Date.now());
  return connections.filter((connection, i) => {
    const end = ends[i];
    if (end !== undefined && "expiresAt" in end) {
      connection.endAt(end.expiresAt);
      return true;
    }
    if (end?.ended === "expired") closeWith(connection, CREDENTIAL_EXPIRED, { allowReconnect: true });
    else closeWith(connection, CREDENTIAL_DEAD);
    return false;
  });
}

const isOfLocation = (guard: Guard | null): guard is LocationGuard => guard !== null && "locationId" in guard;

/**
 * Returns the waiting frames that this credential may see now, by the primary database. `isJoined` says whether the
 * connection still listens to a location.
 */
export async function review(
  context: Context,
  credential: CredentialRef,
  protocol: ProtocolName,
  waiting: readonly WaitingFrame[],
  isJoined: (locationId: string) => boolean,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const guards = waiting.map(({ guard }) => guard);
  const mayRead = await notificationsOf(context, credential, guards);
  const maySee = await locationsOf(context, credential, guards);
  return waiting.flatMap(({ bytes, guard }) => {
    if (guard === null) return [bytes];
    if (!isOfLocation(guard)) return mayRead.has(guard.notificationId) ? [bytes] : [];
    if (!isJoined(guard.locationId)) return [];
    const seen = guard.needs.map((need) => maySee(guard.locationId, need));
    if (seen.every((sees) => sees)) return [bytes];
    // The frame has one message for each event, in the same order.
    const messages = parseMessages(protocol, bytes).filter((_, i) => seen[i]);
    return messages.map((message) => frameBytes(writeMessage(protocol, message)));
  });
}

async function notificationsOf(
  context: Context,
  credential: CredentialRef,
  guards: readonly (Guard | null)[],
): Promise<Set<string>> {
  const ids = guards.flatMap((guard) => (guard !== null && "notificationId" in guard ? [guard.notificationId] : []));
  const visible = ids.length === 0 ? null : await visibleFor(context, credential, [...new Set(ids)]);
  return new Set((visible ?? []).map(({ id }) => id));
}

async function locationsOf(context: Context, credential: CredentialRef, guards: readonly (Guard | null)[]) {
  const holder = { credential };
  const known = new Map<string, Awaited<ReturnType<typeof authorize>>>();
  for (const [locationId, here] of Map.groupBy(guards.filter(isOfLocation), (guard) => guard.locationId)) {
    const needs = here.flatMap((guard) => guard.needs);
    known.set(locationId, await authorize(context, locationId, [holder], needs));
  }
  return (locationId: string, need: Need): boolean => known.get(locationId)?.maySee(holder, need) ?? false;
}
