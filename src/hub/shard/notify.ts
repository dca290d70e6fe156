import { type CredentialRef, credentialKey, loadCredential } from "../../access";
import { type NotificationDto, readVisible } from "../../notifications";
import type { Context } from "../../platform/context";
import type { UserNotifications } from "../../platform/live";
import type { Connections } from "./connections";
import { closeWith, sendMessage } from "./receive";

/** Why a connection whose credential died is closed; it may not come back by itself. */
export const CREDENTIAL_DEAD = "The credential of this connection is no longer valid.";

/** Connections of one session differ in the end of the token they came with. */
const asPresented = (credential: CredentialRef): string => `${credentialKey(credential)} ${credential.expiresAt}`;

/** What one credential may see of its user's notifications now; null when the credential is dead. */
export async function visibleFor(
  context: Context,
  credential: CredentialRef,
  ids: readonly string[],
): Promise<NotificationDto[] | null> {
  const live = await loadCredential(context.db, credential, Date.now());
  return live === null ? null : readVisible(context.db, live, ids);
}

/** Sends each user's notifications to each of their connections, judged for that connection's credential. */
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
