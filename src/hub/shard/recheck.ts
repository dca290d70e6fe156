import { loadCredentialEnds } from "../../access";
import type { Context } from "../../platform/context";
import { authorize } from "../location/authorize";
import type { Connection } from "./connection";
import type { Joins } from "./joins";
import { CREDENTIAL_DEAD } from "./notify";
import { closeWith } from "./receive";

/** An expired credential's client may come back with a fresh one. */
const CREDENTIAL_EXPIRED = "The credential of this connection has expired.";

/**
 * Closes the connections whose credential is dead, and revokes the joins that are not allowed any more.
 * Of the rest it notes when they end now: a token's end may have moved, another grant may carry a join.
 */
export async function recheckConnections(
  context: Context,
  connections: readonly Connection[],
  joins: Joins,
  lose: (connectionId: string, locationId: string) => Promise<void>,
): Promise<void> {
  const alive = await closeDead(context, connections);
  const joined = alive.flatMap((connection) =>
    joins.locationsOf(connection.id).map((locationId) => ({ connection, locationId })),
  );
  for (const [locationId, here] of Map.groupBy(joined, (join) => join.locationId)) {
    const access = await authorize(
      context,
      locationId,
      here.map(({ connection }) => connection),
      [],
    );
    for (const { connection } of here) {
      if (access.mayView(connection)) joins.setEnd(connection.id, locationId, access.endsAt(connection));
      else await lose(connection.id, locationId);
    }
  }
}

async function closeDead(context: Context, connections: readonly Connection[]): Promise<Connection[]> {
  const credentials = connections.map(({ credential }) => credential);
  const ends = await loadCredentialEnds(context.db, credentials, Date.now());
  return connections.filter((connection, i) => {
    const end = ends[i];
    if (end !== undefined && "expiresAt" in end) {
      connection.expireAt(end.expiresAt);
      return true;
    }
    if (end?.ended === "expired") closeWith(connection, CREDENTIAL_EXPIRED, { allowReconnect: true });
    else closeWith(connection, CREDENTIAL_DEAD);
    return false;
  });
}
