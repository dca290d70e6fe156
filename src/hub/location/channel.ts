import { DurableObject } from "cloudflare:workers";
import { type CredentialRef, contextAt } from "../../access";
import { Batcher, KeyedMutex } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import { currentOrigin, describeFailure, type LogOrigin, log, withOrigin } from "../../platform/log";
import type { KeptEvents, LocationEvent } from "../../platform/ports";
import type { Replayed, ReplayRequest } from "../connection";
import {
  ARRIVAL_BATCH_DELAY_MS,
  KEYED_EVENTS_INTERVAL_MS,
  MAX_AUTHORIZED_AT_ONCE,
  MAX_BATCH_EVENTS,
  MAX_CHANGES_READ,
  MAX_LISTENERS,
  MAX_PLANNED_AT_ONCE,
} from "../limits";
import { type Authorization, authorize } from "./authorize";
import { ShardsBehind } from "./behind";
import { type Delivery, planDeliveries } from "./deliveries";
import { History, type NumberedEvent } from "./history";
import { LatestEvents } from "./latest-events";
import { type Registration, Registrations } from "./registrations";

/** A connection that asks to join. It may want the events after a position; null asks for the present position alone. */
export interface Asking extends Registration {
  replay?: ReplayRequest | null;
}

/** `replayed` is null for a connection that asked for no position. */
export type JoinResult =
  | { allowed: false; full: boolean }
  | { allowed: true; endsAt: number | null; replayed: Replayed | null };

/**
 * The listeners of one location. Events queue here, so that all connections receive them in one order. Each batch
 * is authorized once, against the primary, right before it is sent. The object stores registrations and the last events: if it
 * is lost, live delivery stops until clients join again.
 */
export abstract class LocationChannelObject extends DurableObject<Cloudflare.Env> {
  readonly #registrations: Registrations;
  /** A batch has events of several requests and jobs. Its log lines have the origin of its first event. */
  readonly #events = new Batcher(
    (sent: { event: LocationEvent; origin: LogOrigin | undefined }[]) =>
      withOrigin(sent[0]?.origin, () =>
        this.#turns.runExclusive("turn", () => this.#send(sent.map(({ event }) => event))),
      ),
    MAX_BATCH_EVENTS,
  );
  readonly #latest = new LatestEvents((events) => this.#sendAll(events), KEYED_EVENTS_INTERVAL_MS);
  readonly #joins = new Batcher(
    (asking: Asking[]) => withOrigin(undefined, () => this.#turns.runExclusive("turn", () => this.#admit(asking))),
    MAX_AUTHORIZED_AT_ONCE,
    ARRIVAL_BATCH_DELAY_MS,
  );
  readonly #history: History;
  readonly #behind: ShardsBehind;
  /** Batches of events and joins take turns: an event is either replayed to a connection or sent to it later. */
  readonly #turns = new KeyedMutex();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#registrations = new Registrations(ctx.storage.sql);
    this.#history = new History(ctx.storage.sql);
    this.#behind = new ShardsBehind(ctx.storage.sql);
    if (this.#registrations.size > 0) this.#history.heard(Date.now());
  }

  get #locationId(): string {
    return this.ctx.id.name ?? "";
  }

  /**
   * Registers the connections that may see the location now, up to MAX_LISTENERS; returns one result for each. Events that a
   * connection missed are sent to it before the result, and before later events.
   */
  join(asking: Asking[]): Promise<JoinResult[]> {
    return Promise.all(asking.map((registration) => this.#joins.ask(registration)));
  }

  async leave(shard: string, connectionIds: string[]): Promise<void> {
    this.#remove(shard, connectionIds);
  }

  /**
   * Sends events in order of arrival; settles when every shard has received them. Events with a key are sent later. When nobody
   * has listened for EVENT_RETENTION_MS, events are dropped.
   */
  publish(events: LocationEvent[], origin?: LogOrigin): Promise<void> {
    return withOrigin(origin, () => this.#publish(events));
  }

  async #publish(events: readonly LocationEvent[]): Promise<void> {
    if (!this.#history.keeps(Date.now())) return;
    for (const event of events) if (event.key !== undefined) this.#latest.offer(event.key, event);
    await this.#sendAll(events.filter(({ key }) => key === undefined));
  }

  async #sendAll(events: readonly LocationEvent[]): Promise<void> {
    await Promise.all(events.map((event) => this.#events.ask({ event, origin: currentOrigin() })));
  }

  /**
   * Reads the events after a position that a credential may see now, at most `limit` of them; null if it may not see the
   * location. Events are kept for later calls. If there are more than one call checks, an answer can have few or none, and more follow.
   */
  async changes(credential: CredentialRef, since: ReplayRequest | null, limit: number): Promise<KeptEvents | null> {
    const now = Date.now();
    const found = since === null ? null : this.#history.changesAfter(since, MAX_CHANGES_READ, now);
    const kept = found ?? [];
    const reached = this.#history.keeps(now) ? this.#history.position : null;
    const holder = { credential };
    const access = await authorize(await this.#there(), this.#locationId, [holder], kept);
    if (!access.mayView(holder)) return null;
    this.#history.asked(Date.now());
    const { position } = this.#history;
    if (position === null) return null;
    await this.#wakeAt(this.#history.prune(Date.now()));
    const visible = kept.filter((event) => access.maySee(holder, event));
    const events = visible.slice(0, limit);
    // Events that arrived during the check are after this position, unless none were kept before it.
    const { epoch, sequence } = reached?.epoch === position.epoch ? reached : position;
    const checked = kept.length === MAX_CHANGES_READ ? (kept.at(-1)?.sequence ?? sequence) : sequence;
    const end = events.length < visible.length ? (events.at(-1)?.sequence ?? checked) : checked;
    return {
      epoch,
      sequence: end,
      reload: found === null || since?.epoch !== epoch,
      hasMore: end < sequence,
      events: events.map(({ target, sequence: number, payload }) => ({
        target,
        sequence: number,
        payload: JSON.stringify({ ...payload, epoch, sequence: number }),
      })),
    };
  }

  /**
   * Sends shards that could not be reached what they missed, and deletes old events while none arrives. Without either it does
   * not run, and for old events at most once in EVENT_RETENTION_MS.
   */
  override async alarm(): Promise<void> {
    await withOrigin(undefined, async () => {
      const { nextAt } = this.#behind;
      if (nextAt !== null && nextAt <= Date.now()) await this.#turns.runExclusive("turn", () => this.#catchUp());
      await this.#wakeAt(this.#history.prune(Date.now()));
      await this.#wakeAt(this.#behind.nextAt);
    });
  }

  async #wakeAt(at: number | null): Promise<void> {
    if (at === null) return;
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > at) await this.ctx.storage.setAlarm(at);
  }

  async #admit(asking: Asking[]): Promise<JoinResult[]> {
    const checkedAt = Date.now();
    const reached = new Set(
      asking.flatMap(({ replay }) => (replay != null && this.#history.reaches(replay, checkedAt) ? replay.after : [])),
    );
    const kept = reached.size === 0 ? [] : this.#history.after(Math.min(...reached));
    const { epoch } = this.#history;
    const access = await authorize(await this.#there(), this.#locationId, asking, kept);
    const joined = asking.map((one): JoinResult => {
      if (!access.mayView(one)) return { allowed: false, full: false };
      if (this.#registrations.size >= MAX_LISTENERS && !this.#registrations.has(one))
        return { allowed: false, full: true };
      this.#history.heard(Date.now());
      this.#registrations.add(one);
      return { allowed: true, endsAt: access.endsAt(one), replayed: this.#answerTo(one.replay, reached, epoch) };
    });
    const missing = asking.filter((_, i) => {
      const result = joined[i];
      return result?.allowed === true && result.replayed?.reload === false;
    });
    const failed = await this.#replay(missing, kept, access.maySee, checkedAt);
    return joined.map((result, i) => {
      if (!result.allowed || result.replayed === null || !failed.has(asking[i]?.shard ?? "")) return result;
      return { ...result, replayed: { ...result.replayed, reload: true } };
    });
  }

  /** @param epoch the epoch whose kept events include those after the positions `reached` */
  #answerTo(replay: Asking["replay"], reached: ReadonlySet<number>, epoch: string): Replayed | null {
    const { position } = this.#history;
    if (replay === undefined || position === null) return null;
    const isComplete = replay !== null && replay.epoch === epoch && reached.has(replay.after);
    return { ...position, reload: !isComplete || position.epoch !== epoch };
  }

  /** Sends connections the kept events after their positions, in order. @returns the shards that did not receive them */
  async #replay(
    asking: readonly Asking[],
    kept: readonly NumberedEvent[],
    maySee: Authorization["maySee"],
    checkedAt: number,
  ): Promise<Set<string>> {
    const failed = new Set<string>();
    const hand = async (delivery: Delivery) => {
      if (failed.has(delivery.shard)) return;
      try {
        await this.#hand(delivery, checkedAt, true);
      } catch (thrown) {
        failed.add(delivery.shard);
        log("warn", "hub.replay-failed", { shard: delivery.shard, ...describeFailure(thrown) });
      }
    };
    for (let at = 0; at < asking.length; at += MAX_PLANNED_AT_ONCE) {
      const planned = asking.slice(at, at + MAX_PLANNED_AT_ONCE);
      for (const [after, sharing] of Map.groupBy(planned, ({ replay }) => replay?.after ?? 0)) {
        const missed = kept.filter(({ sequence }) => sequence > after);
        for (let from = 0; from < missed.length; from += MAX_BATCH_EVENTS) {
          const events = missed.slice(from, from + MAX_BATCH_EVENTS);
          await Promise.all(planDeliveries(this.#locationId, this.#history.epoch, events, sharing, maySee).map(hand));
        }
      }
    }
    return failed;
  }

  async #send(given: LocationEvent[]): Promise<null[]> {
    const events = this.#history.record(given, Date.now());
    await this.#wakeAt(this.#history.prune(Date.now()));
    const before = (events[0]?.sequence ?? 0) - 1;
    const caughtUp = await this.#catchUp();
    for (const page of this.#registrations.pages(MAX_AUTHORIZED_AT_ONCE)) {
      const listening = page.filter(({ shard }) => !caughtUp.has(shard));
      if (listening.length === 0) continue;
      const checkedAt = Date.now();
      const access = await authorize(await this.#there(), this.#locationId, listening, events);
      await this.#revoke(listening.filter((registration) => !access.mayView(registration)));
      const deliveries = planDeliveries(this.#locationId, this.#history.epoch, events, listening, access.maySee);
      await Promise.all(deliveries.map((delivery) => this.#deliver(delivery, checkedAt, before)));
    }
    await this.#wakeAt(this.#behind.nextAt);
    return given.map(() => null);
  }

  /** @param before the number before the first event of the delivery */
  async #deliver(delivery: Delivery, checkedAt: number, before: number): Promise<void> {
    try {
      await this.#hand(delivery, checkedAt, false);
    } catch (thrown) {
      const { shard, connectionIds } = delivery;
      this.#behind.note(shard, before, Date.now());
      log("warn", "hub.delivery-failed", { shard, connections: connectionIds.length, ...describeFailure(thrown) });
    }
  }

  /**
   * Sends the shards that are behind all events that they missed, the newest ones too. If these are not kept any more, their clients
   * connect again, and read again. @returns these shards, also those that still cannot be reached
   */
  async #catchUp(): Promise<Set<string>> {
    const behind = this.#behind.all();
    for (const { shard, after } of behind) {
      const isReached = await this.#catchUpShard(shard, after).catch((thrown: unknown) => {
        // Access could not be read. An alarm that fails would be tried a few times only.
        log("warn", "hub.delivery-failed", { shard, ...describeFailure(thrown) });
        return false;
      });
      if (isReached) this.#behind.clear(shard);
      else this.#behind.note(shard, after, Date.now());
    }
    return new Set(behind.map(({ shard }) => shard));
  }

  /** Sends one shard what it missed. @returns false if it cannot be reached */
  async #catchUpShard(shard: string, after: number): Promise<boolean> {
    const since = { epoch: this.#history.epoch, after };
    const isKept = this.#history.reaches(since, Date.now());
    const kept = isKept ? this.#history.after(after) : [];
    for (const page of this.#registrations.pages(MAX_AUTHORIZED_AT_ONCE)) {
      const here = page.filter((one) => one.shard === shard).map((one) => ({ ...one, replay: since }));
      if (here.length === 0) continue;
      if (!isKept) {
        if (!(await this.#reconnect(shard, here))) return false;
        continue;
      }
      const checkedAt = Date.now();
      const access = await authorize(await this.#there(), this.#locationId, here, kept);
      await this.#revoke(here.filter((one) => !access.mayView(one)));
      if ((await this.#replay(here, kept, access.maySee, checkedAt)).size > 0) return false;
    }
    return true;
  }

  /** Has clients connect again. @returns false if their shard cannot be reached */
  async #reconnect(shard: string, listening: readonly Registration[]): Promise<boolean> {
    try {
      await this.env.HUB_SHARD.getByName(shard).reconnect(listening.map(({ connectionId }) => connectionId));
      return true;
    } catch (thrown) {
      log("warn", "hub.delivery-failed", { shard, connections: listening.length, ...describeFailure(thrown) });
      return false;
    }
  }

  async #hand({ shard, connectionIds, ...frame }: Delivery, checkedAt: number, isReplay: boolean): Promise<void> {
    const gone = await this.env.HUB_SHARD.getByName(shard).deliver(connectionIds, { ...frame, checkedAt, isReplay });
    this.#remove(shard, gone);
  }

  async #revoke(lost: readonly Registration[]): Promise<void> {
    for (const [shard, registrations] of Map.groupBy(lost, ({ shard }) => shard)) {
      const connectionIds = registrations.map(({ connectionId }) => connectionId);
      this.#remove(shard, connectionIds);
      try {
        await this.env.HUB_SHARD.getByName(shard).revoke(connectionIds, this.#locationId);
      } catch (thrown) {
        // The shard did not receive the revocation: the next event checks these connections again.
        for (const registration of registrations) this.#registrations.add(registration);
        this.#history.heard(Date.now());
        log("warn", "hub.revocation-failed", { shard, connections: connectionIds.length, ...describeFailure(thrown) });
      }
    }
  }

  #remove(shard: string, connectionIds: readonly string[]): void {
    this.#registrations.remove(shard, connectionIds);
    if (this.#registrations.size === 0) this.#history.unheard(Date.now());
  }

  /** A context in the database of the location. */
  #there(): Promise<Context> {
    return contextAt(this.context(), this.#locationId);
  }

  /** Opens a context for one event. */
  protected abstract context(): Context;
}
