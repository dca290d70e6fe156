import type { LocationEvent } from "../../platform/live";
import { writeBatch } from "../protocol";
import type { Guard } from "../shard/connection";
import type { Registration } from "./channel";

/** One frame for some connections of one shard, in both protocols. */
export interface Delivery {
  shard: string;
  connectionIds: string[];
  json: string;
  messagepack: Uint8Array<ArrayBuffer>;
  /** What must be asked again where the frame waits. */
  guard: Guard;
}

/**
 * Turns a batch of events into as few frames as there are different sets of events that somebody may
 * see: usually one. Each frame keeps the events' order.
 */
export function planDeliveries(
  locationId: string,
  events: readonly LocationEvent[],
  registrations: readonly Registration[],
  maySee: (registration: Registration, event: LocationEvent) => boolean,
): Delivery[] {
  const audiences = Map.groupBy(registrations, (registration) =>
    events.map((event) => (maySee(registration, event) ? "1" : "0")).join(""),
  );
  const deliveries: Delivery[] = [];
  for (const [mask, members] of audiences) {
    const visible = events.filter((_, i) => mask[i] === "1");
    if (visible.length === 0) continue;
    const frame = writeBatch(
      visible.map((event) => ({
        type: "invocation",
        invocationId: null,
        target: event.target,
        arguments: [locationId, event.payload],
      })),
    );
    const guard = { locationId, needs: visible.map(({ requires, documentId }) => ({ requires, documentId })) };
    for (const [shard, here] of Map.groupBy(members, (member) => member.shard))
      deliveries.push({ shard, connectionIds: here.map(({ connectionId }) => connectionId), ...frame, guard });
  }
  return deliveries;
}
