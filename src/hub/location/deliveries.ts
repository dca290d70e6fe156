import type { LocationEvent } from "../../platform/ports";
import type { LocationGuard } from "../connection";
import { writeBatch } from "../protocol";
import type { NumberedEvent } from "./history";
import type { Registration } from "./registrations";

/** One frame for some connections of one shard, in both protocols. */
export interface Delivery {
  shard: string;
  connectionIds: string[];
  json: string;
  messagepack: Uint8Array<ArrayBuffer>;
  /** What to check again if the frame has to wait. */
  guard: LocationGuard;
}

/** A frame whose access was checked at this time, milliseconds since the epoch. */
export type CheckedFrame = Omit<Delivery, "shard" | "connectionIds"> & { checkedAt: number; isReplay: boolean };

/**
 * Turns a batch of events into frames: one for each different set of events that a connection may see, which is
 * usually one. Each frame keeps the events' order.
 */
export function planDeliveries(
  locationId: string,
  epoch: string,
  events: readonly NumberedEvent[],
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
        arguments: [locationId, { ...event.payload, epoch, sequence: event.sequence }],
      })),
    );
    const guard = {
      locationId,
      needs: visible.map(({ requires, documentId, subject }) => ({ requires, documentId, subject })),
    };
    for (const [shard, here] of Map.groupBy(members, (member) => member.shard))
      deliveries.push({ shard, connectionIds: here.map(({ connectionId }) => connectionId), ...frame, guard });
  }
  return deliveries;
}
