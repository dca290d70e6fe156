import type { CredentialRef } from "../../access";
import type { Context } from "../../platform/context";
import { authorize } from "../location/authorize";
import { frameBytes, type ProtocolName, parseMessages, writeMessage } from "../protocol";
import type { Guard } from "./connection";
import { visibleFor } from "./notify";
import type { Waiting } from "./waiting";

type OfLocation = Extract<Guard, { locationId: string }>;

const isOfLocation = (guard: Guard | null): guard is OfLocation => guard !== null && "locationId" in guard;

/** Of frames that have waited, what this credential may see now, as the primary database says. */
export async function review(
  context: Context,
  credential: CredentialRef,
  protocol: ProtocolName,
  waiting: readonly Waiting[],
): Promise<Uint8Array<ArrayBuffer>[]> {
  const guards = waiting.map(({ guard }) => guard);
  const mayRead = await notificationsOf(context, credential, guards);
  const maySee = await locationsOf(context, credential, guards);
  return waiting.flatMap(({ bytes, guard }) => {
    if (guard === null) return [bytes];
    if (!isOfLocation(guard)) return mayRead.has(guard.notificationId) ? [bytes] : [];
    const seen = guard.needs.map((need) => maySee(guard.locationId, need));
    if (seen.every((sees) => sees)) return [bytes];
    // One message for each event, in their order.
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
    const documentIds = here.flatMap(({ needs }) => needs.flatMap(({ documentId }) => documentId ?? []));
    known.set(locationId, await authorize(context, locationId, [holder], [...new Set(documentIds)]));
  }
  return (locationId: string, need: OfLocation["needs"][number]): boolean =>
    known.get(locationId)?.maySee(holder, need) ?? false;
}
