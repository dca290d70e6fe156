import { DurableObject } from "cloudflare:workers";
import { z } from "@hono/zod-openapi";
import { type CredentialRef, contextAt } from "../../access";
import { Batcher } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import { describeFailure, log } from "../../platform/log";
import type { LocationEvent } from "../../platform/ports";
import { type LocationGuard, newConnectionSchema } from "../connection";
import {
  ARRIVAL_BATCH_DELAY_MS,
  KEYED_EVENTS_INTERVAL_MS,
  MAX_AUTHORIZED_AT_ONCE,
  MAX_BATCH_EVENTS,
  MAX_LISTENERS,
} from "../limits";
import { writeBatch } from "../protocol";
import { authorize } from "./authorize";
import { LatestEvents } from "./latest-events";

/** A connection that listens to this location, or asks to. */
export interface Registration {
  shard: string;
  connectionId: string;
  credential: CredentialRef;
}

export type JoinResult = { allowed: false; full: boolean } | { allowed: true; endsAt: number | null };

/**
 * The listeners of one location. Events queue here, so that all connections receive them in one order. Each batch
 * is authorized once, against the primary, right before it is sent. The object stores registrations only: if it
 * is lost, live delivery stops until clients join again.
 */
export abstract class LocationChannelObject extends DurableObject<Cloudflare.Env> {
  readonly #registrations: Registrations;
  readonly #events = new Batcher((events: LocationEvent[]) => this.#send(events), MAX_BATCH_EVENTS);
  readonly #latest = new LatestEvents((events) => this.#sendAll(events), KEYED_EVENTS_INTERVAL_MS);
  readonly #joins = new Batcher(
    (asking: Registration[]) => this.#admit(asking),
    MAX_AUTHORIZED_AT_ONCE,
    ARRIVAL_BATCH_DELAY_MS,
  );

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#registrations = new Registrations(ctx.storage.sql);
  }

  get #locationId(): string {
    return this.ctx.id.name ?? "";
  }

  /** Registers the connections that may see the location now, up to MAX_LISTENERS; returns one result for each. */
  join(asking: Registration[]): Promise<JoinResult[]> {
    return Promise.all(asking.map((registration) => this.#joins.ask(registration)));
  }

  async leave(shard: string, connectionIds: string[]): Promise<void> {
    this.#registrations.remove(shard, connectionIds);
  }

  /**
   * Sends events in order of arrival; settles when every shard has received them. Events with a key are sent later, and
   * not at all while nobody listens.
   */
  async publish(events: LocationEvent[]): Promise<void> {
    if (this.#registrations.size === 0) return;
    for (const event of events) if (event.key !== undefined) this.#latest.offer(event.key, event);
    await this.#sendAll(events.filter(({ key }) => key === undefined));
  }

  async #sendAll(events: readonly LocationEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.#events.ask(event)));
  }

  async #admit(asking: Registration[]): Promise<JoinResult[]> {
    const { mayView, endsAt } = await authorize(await this.#there(), this.#locationId, asking, []);
    return asking.map((registration) => {
      if (!mayView(registration)) return { allowed: false, full: false };
      if (this.#registrations.size >= MAX_LISTENERS && !this.#registrations.has(registration))
        return { allowed: false, full: true };
      this.#registrations.add(registration);
      return { allowed: true, endsAt: endsAt(registration) };
    });
  }

  async #send(events: LocationEvent[]): Promise<null[]> {
    for (const page of this.#registrations.pages(MAX_AUTHORIZED_AT_ONCE)) {
      const checkedAt = Date.now();
      const access = await authorize(await this.#there(), this.#locationId, page, events);
      await this.#revoke(page.filter((registration) => !access.mayView(registration)));
      const deliveries = planDeliveries(this.#locationId, events, page, access.maySee);
      await Promise.all(deliveries.map((delivery) => this.#deliver(delivery, checkedAt)));
    }
    return events.map(() => null);
  }

  async #deliver({ shard, connectionIds, ...frame }: Delivery, checkedAt: number): Promise<void> {
    try {
      const gone = await this.env.HUB_SHARD.getByName(shard).deliver(connectionIds, { ...frame, checkedAt });
      this.#registrations.remove(shard, gone);
    } catch (thrown) {
      // The streams of a failed shard are lost with it. Its sockets' clients reconnect and read again.
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
        // The shard did not receive the revocation: the next event checks these connections again.
        for (const registration of registrations) this.#registrations.add(registration);
        log("warn", "hub.revocation-failed", { shard, connections: connectionIds.length, ...describeFailure(thrown) });
      }
    }
  }

  /** A context in the database of the location. */
  #there(): Promise<Context> {
    return contextAt(this.context(), this.#locationId);
  }

  /** Opens a context for one event. */
  protected abstract context(): Context;
}

/** One frame for some connections of one shard, in both protocols. */
interface Delivery {
  shard: string;
  connectionIds: string[];
  json: string;
  messagepack: Uint8Array<ArrayBuffer>;
  /** What to check again if the frame has to wait. */
  guard: LocationGuard;
}

/** A frame whose access was checked at this time, milliseconds since the epoch. */
export type CheckedFrame = Omit<Delivery, "shard" | "connectionIds"> & { checkedAt: number };

/**
 * Turns a batch of events into frames: one for each different set of events that a connection may see, which is
 * usually one. Each frame keeps the events' order.
 */
function planDeliveries(
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
    const guard = {
      locationId,
      needs: visible.map(({ requires, documentId, subject }) => ({ requires, documentId, subject })),
    };
    for (const [shard, here] of Map.groupBy(members, (member) => member.shard))
      deliveries.push({ shard, connectionIds: here.map(({ connectionId }) => connectionId), ...frame, guard });
  }
  return deliveries;
}

const row = z.object({ shard: z.string(), connection_id: z.string(), credential: z.string() });
const credential = newConnectionSchema.shape.credential;

type Named = Pick<Registration, "shard" | "connectionId">;
const keyOf = ({ shard, connectionId }: Named): string => `${shard} ${connectionId}`;

/** The registered connections, in the object's SQLite and cached in memory. */
class Registrations {
  readonly #all: Map<string, Registration>;

  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS registrations (
      shard TEXT NOT NULL, connection_id TEXT NOT NULL, credential TEXT NOT NULL,
      PRIMARY KEY (shard, connection_id)) WITHOUT ROWID`);
    this.#all = new Map(sql.exec("SELECT * FROM registrations").toArray().map(readRow));
  }

  get size(): number {
    return this.#all.size;
  }

  has(registration: Named): boolean {
    return this.#all.has(keyOf(registration));
  }

  add(registration: Registration): void {
    const { shard, connectionId } = registration;
    this.sql.exec(
      "INSERT OR REPLACE INTO registrations VALUES (?, ?, ?)",
      shard,
      connectionId,
      JSON.stringify(registration.credential),
    );
    this.#all.set(keyOf(registration), registration);
  }

  remove(shard: string, connectionIds: readonly string[]): void {
    const known = connectionIds.filter((connectionId) => this.#all.delete(keyOf({ shard, connectionId })));
    if (known.length === 0) return;
    this.sql.exec(
      "DELETE FROM registrations WHERE shard = ? AND connection_id IN (SELECT value FROM json_each(?))",
      shard,
      JSON.stringify(known),
    );
  }

  /** All registrations in pages of at most `size`. A registration removed meanwhile is in no later page. */
  *pages(size: number): Generator<Registration[]> {
    const keys = [...this.#all.keys()];
    for (let at = 0; at < keys.length; at += size)
      yield keys.slice(at, at + size).flatMap((key) => this.#all.get(key) ?? []);
  }
}

function readRow(raw: Record<string, SqlStorageValue>): [string, Registration] {
  const read = row.parse(raw);
  const registration = {
    shard: read.shard,
    connectionId: read.connection_id,
    credential: credential.parse(JSON.parse(read.credential)),
  };
  return [keyOf(registration), registration];
}
