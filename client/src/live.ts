import type { Client } from "openapi-fetch";
import { eachItem } from "./pages.ts";
import { dataOf } from "./problem.ts";
import type { NotificationDto, paths } from "./schema.ts";

/** The part of a connection of Microsoft's clients (`@microsoft/signalr`) that this module uses. */
export interface LiveHub {
  on(event: string, handler: (...given: never[]) => void): void;
  invoke<T>(method: string, ...given: unknown[]): Promise<T>;
}

/** The last event of a location that has arrived. */
interface Position {
  epoch: string;
  after: number;
}

/** The answer for one location of `JoinLocations`. */
type JoinAnswer =
  | { locationId: string; joined: true; epoch: string; sequence: number; reload: boolean }
  | { locationId: string; joined: false; reason: RefusalReason };

/** `not-found`: the location is absent or hidden. `unavailable`: the join failed, and can be tried again. */
export type RefusalReason = "not-found" | "too-many-locations" | "too-many-listeners" | "unavailable";

/** The events of a location. */
export const LOCATION_EVENTS = ["DocumentUploaded", "StateUpdated", "PositionChanged", "CapturePublished"] as const;
export type LocationEventName = (typeof LOCATION_EVENTS)[number];

export interface LiveHandlers {
  /** Receives each event of a joined location, new or replayed. */
  onEvent(name: LocationEventName, locationId: string, payload: object): void;
  /** Events of the location may have been missed: read again what you show of it. */
  onReload(locationId: string): void;
  /** The location is not joined. After `unavailable` it is asked for again by itself, after the others with the next connect. */
  onRefused?(locationId: string, reason: RefusalReason): void;
  /** Access to the location ended. */
  onRevoked?(locationId: string): void;
  /** Receives each notification that arrives, and after a reconnect each that was missed. A notification can come again with another read state. */
  onNotification?(notification: NotificationDto): void;
}

/** Most locations of one call. */
const MAX_JOINS = 200;

/** The pauses before locations that could not be joined are asked for again, milliseconds. The last one repeats. */
const JOIN_PAUSES_MS = [1_000, 5_000, 30_000];

/**
 * Keeps the live events of locations complete over reconnects: it joins the wanted locations in one call, asks for the events
 * that were missed, and reads the notifications that were missed. Call `attach` for each new connection before it starts, and `connected`
 * after each start and each reconnect.
 */
export class LiveLocations {
  readonly #handlers: LiveHandlers;
  readonly #api: Client<paths>;
  readonly #positions = new Map<string, Position>();
  readonly #joined = new Set<string>();
  /** Wanted locations that could not be joined, and the timer of the next attempt. */
  readonly #unavailable = new Set<string>();
  #nextJoin: ReturnType<typeof setTimeout> | undefined;
  #failedJoins = 0;
  #wanted: ReadonlySet<string> = new Set();
  #hub: LiveHub | null = null;
  /** The number up to which every notification has arrived; null before the first connection. */
  #lastSeq: number | null = null;
  /** The newest notification that has arrived, while earlier ones may be missing. */
  #newestSeq = 0;
  #isCaughtUp = false;

  constructor(client: { api: Client<paths> }, handlers: LiveHandlers) {
    this.#api = client.api;
    this.#handlers = handlers;
  }

  /** Passes the events of a connection on. */
  attach(hub: LiveHub): void {
    for (const name of LOCATION_EVENTS)
      hub.on(name, (locationId: string, payload: { epoch: string; sequence: number }) => {
        const known = this.#positions.get(locationId);
        // After a failure inside the service, events can come again.
        if (known?.epoch === payload.epoch && payload.sequence <= known.after) return;
        if (this.#wanted.has(locationId)) this.#advance(locationId, payload.epoch, payload.sequence);
        this.#handlers.onEvent(name, locationId, payload);
      });
    hub.on("SubscriptionRevoked", (_kind: string, locationId: string) => {
      this.#joined.delete(locationId);
      this.#positions.delete(locationId);
      this.#handlers.onRevoked?.(locationId);
    });
    hub.on("NotificationReceived", (notification: NotificationDto) => this.#hear(notification));
  }

  /**
   * The connection is open. Joins the wanted locations with their replays, and reads what the inbox missed.
   * @throws ProblemError, TypeError if the inbox cannot be read
   */
  async connected(hub: LiveHub): Promise<void> {
    this.disconnected();
    this.#hub = hub;
    const [joins, caught] = await Promise.allSettled([this.#join([...this.#wanted]), this.#catchUp()]);
    for (const one of [joins, caught]) if (one.status === "rejected") throw one.reason;
  }

  /** The connection has ended. Positions stay. */
  disconnected(): void {
    this.#hub = null;
    this.#joined.clear();
    this.#unavailable.clear();
    clearTimeout(this.#nextJoin);
    this.#nextJoin = undefined;
    this.#failedJoins = 0;
    this.#isCaughtUp = false;
  }

  /** Sets the locations whose events are wanted. Joins the new ones and leaves the others. */
  async want(locationIds: Iterable<string>): Promise<void> {
    this.#wanted = new Set(locationIds);
    for (const locationId of this.#positions.keys())
      if (!this.#wanted.has(locationId)) this.#positions.delete(locationId);
    const left = [...this.#joined].filter((locationId) => !this.#wanted.has(locationId));
    for (const locationId of left) this.#joined.delete(locationId);
    const hub = this.#hub;
    if (hub === null) return;
    // A lost connection has left them.
    await Promise.all(left.map((locationId) => hub.invoke("LeaveLocation", locationId).catch(() => undefined)));
    await this.#join([...this.#wanted].filter((locationId) => !this.#joined.has(locationId)));
  }

  async #join(locationIds: readonly string[]): Promise<void> {
    const hub = this.#hub;
    for (const locationId of locationIds) this.#joined.add(locationId);
    for (let at = 0; hub !== null && at < locationIds.length; at += MAX_JOINS) {
      const batch = locationIds.slice(at, at + MAX_JOINS);
      const asked = batch.map((locationId) => ({ locationId, position: this.#positions.get(locationId) ?? null }));
      const answers = await hub.invoke<JoinAnswer[]>("JoinLocations", asked).catch(() => null);
      if (this.#hub !== hub) return;
      for (const answer of answers ?? []) this.#note(answer);
      if (answers !== null) continue;
      for (const locationId of batch) {
        this.#joined.delete(locationId);
        this.#unavailable.add(locationId);
      }
    }
    if (this.#unavailable.size > 0) this.#joinLater();
    else this.#failedJoins = 0;
  }

  /** Asks for the locations that could not be joined again, after a pause. */
  #joinLater(): void {
    if (this.#nextJoin !== undefined) return;
    const longestMs = JOIN_PAUSES_MS[Math.min(this.#failedJoins++, JOIN_PAUSES_MS.length - 1)] ?? 0;
    this.#nextJoin = setTimeout(
      () => {
        this.#nextJoin = undefined;
        const again = [...this.#unavailable].filter((one) => this.#wanted.has(one) && !this.#joined.has(one));
        this.#unavailable.clear();
        void this.#join(again);
      },
      // Clients that failed together do not come back together.
      longestMs * (0.5 + Math.random() / 2),
    );
  }

  #note(answer: JoinAnswer): void {
    const { locationId } = answer;
    if (!this.#wanted.has(locationId)) return;
    if (!answer.joined) {
      // Later events may arrive all the same, and would move the position over what was missed.
      this.#joined.delete(locationId);
      this.#positions.delete(locationId);
      if (answer.reason === "unavailable") this.#unavailable.add(locationId);
      this.#handlers.onRefused?.(locationId, answer.reason);
      return;
    }
    this.#advance(locationId, answer.epoch, answer.sequence);
    if (answer.reload) this.#handlers.onReload(locationId);
  }

  #advance(locationId: string, epoch: string, sequence: number): void {
    const known = this.#positions.get(locationId);
    const after = known?.epoch === epoch ? Math.max(known.after, sequence) : sequence;
    this.#positions.set(locationId, { epoch, after });
  }

  #hear(notification: NotificationDto): void {
    this.#newestSeq = Math.max(this.#newestSeq, notification.seq);
    if (this.#isCaughtUp) this.#lastSeq = Math.max(this.#lastSeq ?? 0, this.#newestSeq);
    this.#handlers.onNotification?.(notification);
  }

  /** Reads the notifications after the last one. After a failure it goes on there at the next connection. */
  async #catchUp(): Promise<void> {
    const hub = this.#hub;
    if (this.#lastSeq === null) {
      const { items } = await dataOf(this.#api.GET("/v1/notifications", { params: { query: { limit: 1 } } }));
      this.#lastSeq = items[0]?.seq ?? 0;
    } else {
      const sinceSeq = this.#lastSeq;
      const missed = eachItem((cursor) =>
        dataOf(
          this.#api.GET("/v1/notifications", {
            params: { query: { order: "oldest", limit: 100, sinceSeq, ...(cursor !== undefined && { cursor }) } },
          }),
        ),
      );
      for await (const notification of missed) {
        this.#lastSeq = Math.max(this.#lastSeq, notification.seq);
        this.#handlers.onNotification?.(notification);
      }
    }
    if (this.#hub !== hub) return;
    this.#isCaughtUp = true;
    this.#lastSeq = Math.max(this.#lastSeq, this.#newestSeq);
  }
}
