import { DurableObject } from "cloudflare:workers";
import type { CredentialRef } from "../../access";
import type { Context } from "../../platform/context";
import type { LocationEvent } from "../../platform/live";
import { describeFailure, log } from "../../platform/log";
import { Rounds } from "../../platform/rounds";
import { authorize } from "./authorize";
import { type Delivery, planDeliveries } from "./deliveries";
import { Registrations } from "./registrations";

/** A connection that wants to hear of this location. */
export interface Registration {
  shard: string;
  connectionId: string;
  credential: CredentialRef;
}

export type Joined = { allowed: false; full: boolean } | { allowed: true; endsAt: number | null };

/** Events that go out in one frame; what waits meanwhile is the next batch. */
export const LARGEST_BATCH = 100;
/** Connections that may listen to one location; more are refused until some leave. */
export const MOST_LISTENERS = 20_000;
/** Connections authorized by one query, and sent to or let in before the next: their ids are a parameter of some 200 KB. */
export const AUTHORIZED_AT_ONCE = 5_000;
/**
 * How long connections of a crowd wait for each other, to share queries and transactions, ms; one alone never waits. On
 * a busy thread it is longer, and all that have arrived meanwhile share.
 */
export const REST_OF_ARRIVALS = 5;

/**
 * Everybody who listens to one location. Events queue here, so that all connections get them in one
 * order; each batch is authorized once, against the primary, right before it is sent. It holds
 * registrations and no truth: losing it loses live delivery until clients join again.
 */
export abstract class LocationChannelObject extends DurableObject<Cloudflare.Env> {
  readonly #registrations: Registrations;
  readonly #events = new Rounds((events: LocationEvent[]) => this.#send(events), LARGEST_BATCH);
  readonly #joins = new Rounds((asking: Registration[]) => this.#admit(asking), AUTHORIZED_AT_ONCE, REST_OF_ARRIVALS);

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#registrations = new Registrations(ctx.storage.sql);
  }

  get #locationId(): string {
    return this.ctx.id.name ?? "";
  }

  /** Registers connections whose credential may see the location now, while there is room; one answer each. */
  join(asking: Registration[]): Promise<Joined[]> {
    return Promise.all(asking.map((registration) => this.#joins.ask(registration)));
  }

  async leave(shard: string, connectionIds: string[]): Promise<void> {
    this.#registrations.remove(shard, connectionIds);
  }

  /** Sends events, in the order they come in; settles when they have been handed to every shard. */
  async publish(events: LocationEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.#events.ask(event)));
  }

  async #admit(asking: Registration[]): Promise<Joined[]> {
    const { mayView, endsAt } = await authorize(this.context(), this.#locationId, asking, []);
    return asking.map((registration) => {
      if (!mayView(registration)) return { allowed: false, full: false };
      if (this.#registrations.size >= MOST_LISTENERS && !this.#registrations.has(registration))
        return { allowed: false, full: true };
      this.#registrations.add(registration);
      return { allowed: true, endsAt: endsAt(registration) };
    });
  }

  async #send(events: LocationEvent[]): Promise<null[]> {
    const documentIds = [...new Set(events.flatMap((event) => event.documentId ?? []))];
    for (const page of this.#registrations.pages(AUTHORIZED_AT_ONCE)) {
      const access = await authorize(this.context(), this.#locationId, page, documentIds);
      await this.#revoke(page.filter((registration) => !access.mayView(registration)));
      const deliveries = planDeliveries(this.#locationId, events, page, access.maySee);
      await Promise.all(deliveries.map((delivery) => this.#deliver(delivery)));
    }
    return events.map(() => null);
  }

  async #deliver({ shard, connectionIds, json, messagepack, guard }: Delivery): Promise<void> {
    try {
      const gone = await this.env.HUB_SHARD.getByName(shard).deliver(connectionIds, json, messagepack, guard);
      this.#registrations.remove(shard, gone);
    } catch (thrown) {
      // A shard that died took its streams with it; its sockets' clients reconnect and read again.
      log("warn", "hub.delivery-failed", { shard, connections: connectionIds.length, ...describeFailure(thrown) });
    }
  }

  async #revoke(lost: readonly Registration[]): Promise<void> {
    for (const [shard, registrations] of Map.groupBy(lost, ({ shard }) => shard)) {
      const connectionIds = registrations.map(({ connectionId }) => connectionId);
      this.#registrations.remove(shard, connectionIds);
      try {
        await this.env.HUB_SHARD.getByName(shard).revoke(connectionIds, this.#locationId);
      } catch (thrown) {
        // They were not told; the next event looks at them again.
        for (const registration of registrations) this.#registrations.add(registration);
        log("warn", "hub.revocation-failed", { shard, connections: connectionIds.length, ...describeFailure(thrown) });
      }
    }
  }

  /** Opens a context for one event. */
  protected abstract context(): Context;
}
