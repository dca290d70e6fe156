import { DurableObject } from "cloudflare:workers";
import {
  type CredentialEnd,
  type CredentialRef,
  type GrantEnds,
  loadCredentialEnds,
  loadGrantEnds,
} from "../../access";
import { Batcher, KeyedMutex } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import { type LogOrigin, withOrigin } from "../../platform/log";
import type { UserNotifications } from "../../platform/ports";
import { arrivalSchema, CONNECTION_HEADER, type Connection } from "../connection";
import {
  ACCESS_CHANGE_RETENTION_MS,
  ARRIVAL_BATCH_DELAY_MS,
  CLOCK_TOLERANCE_MS,
  MAX_BATCH_CONNECTIONS,
} from "../limits";
import type { Asking, CheckedFrame } from "../location";
import { frameBytes, JSON_PING } from "../protocol";
import { notifyConnections, RecentRechecks, recheckConnections, review, tellAccessChanged } from "./access";
import { AccessTimes } from "./access-times";
import { Connections } from "./connections";
import { invokeMethod, type ShardPort } from "./methods";
import { EarlyPosts, StartedConnections } from "./negotiated";
import { closeWith, handleMessages, InFlightBytes, readIncoming, sendMessage } from "./receive";
import { ReplayedBytes } from "./replayed";
import { answerRequest, type TransportPort, unauthorized } from "./requests";
import type { Review, WaitingFrame } from "./streams";
import { type SubscribeResult, Subscriptions, subscribeTogether } from "./subscriptions";

/**
 * Live connections of some users. WebSockets hibernate with their state in their attachments. Event streams and
 * polls are in memory only: clients open them again when the memory is lost.
 */
export abstract class HubShardObject extends DurableObject<Cloudflare.Env> implements ShardPort, TransportPort {
  readonly connections: Connections;
  readonly subscriptions: Subscriptions;
  readonly begun: StartedConnections;
  readonly #accessTimes: AccessTimes;
  readonly early = new EarlyPosts();
  /** Serializes the joins and leaves of a connection at a location, and setting the alarm. */
  readonly mutex = new KeyedMutex();
  readonly #inFlight = new InFlightBytes();
  readonly #rechecks = new RecentRechecks();
  readonly #replayed = new ReplayedBytes();
  readonly #entries = new Batcher<Asking, SubscribeResult>(
    (asking, at) => subscribeTogether(this.subscriptions, at, asking, (admitted) => this.#location(at).join(admitted)),
    MAX_BATCH_CONNECTIONS,
    ARRIVAL_BATCH_DELAY_MS,
  );
  readonly #exits = new Batcher<string, null>(async (connectionIds, at) => {
    await this.#location(at).leave(this.name, connectionIds);
    return connectionIds.map(() => null);
  }, MAX_BATCH_CONNECTIONS);
  readonly #credentials = new Batcher<CredentialRef, CredentialEnd>(
    (credentials) => loadCredentialEnds(this.context().directory, credentials, Date.now()),
    MAX_BATCH_CONNECTIONS,
    ARRIVAL_BATCH_DELAY_MS,
  );
  readonly #grantEnds = new Batcher<string, GrantEnds>(
    (userIds) => this.#loadGrantEnds(userIds),
    MAX_BATCH_CONNECTIONS,
    ARRIVAL_BATCH_DELAY_MS,
  );

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.connections = new Connections(ctx);
    this.subscriptions = new Subscriptions(ctx.storage.sql);
    this.begun = new StartedConnections(ctx.storage.sql);
    this.#accessTimes = new AccessTimes(ctx.storage.sql);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(JSON_PING, JSON_PING));
    // Locations still list connections that were lost with this object's earlier memory.
    ctx.waitUntil(this.#forgetLost());
  }

  get name(): string {
    return this.ctx.id.name ?? "";
  }

  async enter(locationId: string, asking: Asking): Promise<SubscribeResult> {
    // It may have ended while its request waited.
    if (this.connections.find(asking.connectionId) === null) return { noted: "gone", joined: null };
    this.subscriptions.ask(asking.connectionId, locationId);
    return this.#entries.ask(asking, locationId);
  }

  mayReplay(userId: string): boolean {
    return this.#replayed.isLeft(userId, Date.now());
  }

  async exit(locationId: string, connectionId: string): Promise<void> {
    await this.#exits.ask(connectionId, locationId);
  }

  /** Checks whether a credential is valid. One query serves all checks of the same time. */
  async isLive(credential: CredentialRef): Promise<boolean> {
    return !("ended" in (await this.#credentials.ask(credential)));
  }

  override async fetch(request: Request): Promise<Response> {
    const arrival = arrivalSchema.parse(JSON.parse(request.headers.get(CONNECTION_HEADER) ?? ""));
    if (arrival.isLive) return answerRequest(this, arrival, request);
    const { credential } = arrival;
    if (credential.expiresAt !== null && credential.expiresAt <= Date.now()) return unauthorized();
    // An access token opens a connection; after that only its session counts.
    const held = credential.kind === "session" ? { ...credential, expiresAt: null } : credential;
    const end = await this.#credentials.ask(held);
    if ("ended" in end) return unauthorized();
    return answerRequest(this, { ...arrival, credential: held, endsAt: end.expiresAt }, request);
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.receive(this.connections.ofSocket(socket), data);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    const connection = this.connections.ofSocket(socket);
    // 1005 and 1006 mean that there was no code. They must not be sent.
    connection.end(code === 1005 || code === 1006 ? 1000 : code);
    await this.#forget(connection.id);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#forget(this.connections.ofSocket(socket).id);
  }

  /** Handles the data that a client sent. */
  async receive(connection: Connection, data: string | ArrayBuffer): Promise<void> {
    const bytes = typeof data === "string" ? data.length : data.byteLength;
    connection.heard(Date.now());
    const isCounted = this.#inFlight.begin(connection.id, bytes);
    try {
      const said = readIncoming(connection, data, !isCounted);
      if (said === null) return;
      this.connections.heard(connection, said.ended);
      await handleMessages(connection, said.messages, (from, target, args) => invokeMethod(this, from, target, args));
    } finally {
      if (isCounted) this.#inFlight.end(connection.id, bytes);
    }
  }

  reviewFor({ id, credential, protocol }: Pick<Connection, "id" | "credential" | "protocol">): Review {
    const isJoined = (locationId: string) => this.subscriptions.has(id, locationId);
    return (waiting) => review(this.context(), credential, protocol ?? "json", waiting, isJoined);
  }

  later(work: Promise<void>): void {
    this.ctx.waitUntil(work);
  }

  /**
   * Sends a frame to the connections that still listen to its location; returns the ids of the connections that have
   * ended. If a connection was checked again since the frame's access was read, that access is read once more.
   */
  async deliver(connectionIds: string[], frame: CheckedFrame): Promise<string[]> {
    const { guard, checkedAt, isReplay } = frame;
    const joined = this.subscriptions.joinedOf(connectionIds, guard.locationId);
    const dead: string[] = [];
    for (const id of connectionIds) {
      const connection = this.connections.find(id);
      if (connection === null || connection.protocol === null) dead.push(id);
      else if (joined.has(id)) {
        const bytes = connection.protocol === "json" ? frame.json : frame.messagepack;
        if (isReplay) this.#replayed.count(connection.credential.userId, bytes.length, Date.now());
        const isDelivered = this.#rechecks.isSince(id, checkedAt)
          ? await this.#sendReviewed(connection, { bytes: frameBytes(bytes), guard })
          : connection.send(bytes, guard);
        if (!isDelivered) dead.push(id);
      }
    }
    for (const id of dead) this.connections.find(id)?.end();
    if (dead.length > 0) this.subscriptions.dropAll(dead);
    return dead;
  }

  async #sendReviewed(connection: Connection, frame: WaitingFrame): Promise<boolean> {
    const seen = await this.reviewFor(connection)([frame]);
    return seen.every((bytes) => connection.send(bytes, frame.guard ?? undefined));
  }

  /** Ends these connections, whose clients connect again: they have missed events that are not kept. */
  async reconnect(connectionIds: string[]): Promise<void> {
    for (const id of connectionIds) {
      const connection = this.connections.find(id);
      if (connection !== null) closeWith(connection, "Events were missed.", { allowReconnect: true });
    }
  }

  /** Ends these connections' subscriptions to the location and notifies their clients. */
  async revoke(connectionIds: string[], locationId: string): Promise<void> {
    for (const id of connectionIds) {
      const connection = this.connections.find(id);
      if (!this.subscriptions.remove(id, locationId) || connection === null) continue;
      sendMessage(connection, {
        type: "invocation",
        invocationId: null,
        target: "SubscriptionRevoked",
        arguments: ["location", locationId],
      });
    }
  }

  /** Sends notifications to their users' connections, as far as each connection's credential may see them. */
  async notify(notifications: UserNotifications[], origin?: LogOrigin): Promise<void> {
    await withOrigin(origin, () => notifyConnections(this.context(), this.connections, notifications));
  }

  /** Checks the access of these users' connections again, and tells them. */
  recheckUsers(userIds: string[], origin?: LogOrigin): Promise<void> {
    return withOrigin(origin, () => this.#recheckUsers(userIds));
  }

  async #recheckUsers(userIds: readonly string[]): Promise<void> {
    const [users, now] = [[...new Set(userIds)], Date.now()];
    // This is first: clients that connect from now on learn it when they ask.
    this.#accessTimes.noteChange(users, now);
    const alive = await this.#recheck(users.flatMap((userId) => this.connections.of(userId)));
    tellAccessChanged(alive);
    const present = [...new Set(alive.map(({ credential }) => credential.userId))];
    const ends = present.length === 0 ? [] : await this.#loadGrantEnds(present);
    for (const [i, userId] of present.entries()) this.#accessTimes.setEnd(userId, ends[i]?.next ?? null);
    this.#accessTimes.forgetEnds(users, now);
    await this.#expectNext();
  }

  async watchAccess(connection: Connection, elapsedMs: number): Promise<void> {
    const { userId } = connection.credential;
    const since = Date.now() - elapsedMs - CLOCK_TOLERANCE_MS;
    const { last, next } = await this.#grantEnds.ask(userId);
    if (next !== null) this.#accessTimes.endsBy(userId, next);
    await this.wakeBy(next);
    const isMissed = this.#accessTimes.isChangedSince(userId, since) || (last !== null && last >= since);
    if (isMissed || elapsedMs > ACCESS_CHANGE_RETENTION_MS) tellAccessChanged([connection]);
  }

  #loadGrantEnds(userIds: readonly string[]): Promise<GrantEnds[]> {
    const now = Date.now();
    return loadGrantEnds(this.context(), userIds, now - ACCESS_CHANGE_RETENTION_MS, now);
  }

  /** Checks the access of the connections that joined one of these locations again. */
  async recheckLocations(locationIds: string[], origin?: LogOrigin): Promise<void> {
    const joined = this.subscriptions.connectionsAt(locationIds).map((id) => this.connections.find(id));
    await withOrigin(origin, () => this.#recheck(joined.filter((connection) => connection !== null)));
  }

  async wakeBy(at: number | null): Promise<void> {
    if (at === null) return;
    // Serialized: if two callers find no alarm, the later time must not replace the earlier one.
    await this.mutex.runExclusive("alarm", async () => {
      const set = await this.ctx.storage.getAlarm();
      if (set === null || set > at) await this.ctx.storage.setAlarm(at);
    });
  }

  /** Ends expired connections and subscriptions, independent of events, and checks the sockets. */
  override alarm(): Promise<void> {
    return withOrigin(undefined, () => this.#look());
  }

  async #look(): Promise<void> {
    const now = Date.now();
    await Promise.all(this.connections.lookAtSockets(now).map((id) => this.#forget(id)));
    this.#accessTimes.forgetOld(now);
    const ofUsers = this.#accessTimes.ended(now);
    if (ofUsers.length > 0) await this.recheckUsers(ofUsers);
    const ended = new Set(this.subscriptions.ended(now));
    const due = this.connections.all().filter(({ id, endsAt }) => ended.has(id) || (endsAt ?? Infinity) <= now);
    if (due.length > 0) await this.#recheck(due);
    else await this.#expectNext();
  }

  gone(id: string): void {
    this.connections.forget(id);
    this.ctx.waitUntil(this.#forget(id));
  }

  async #recheck(connections: Connection[]): Promise<Connection[]> {
    this.#rechecks.note(connections, Date.now());
    const alive = await recheckConnections(this.context(), connections, this.subscriptions, (id, locationId) =>
      this.#lose(id, locationId),
    );
    await this.#expectNext();
    return alive;
  }

  /** Schedules the next alarm: the next expiry of a credential or grant, or the next check of the sockets. */
  async #expectNext(): Promise<void> {
    const now = Date.now();
    const firsts = [this.subscriptions.firstEnd(now), this.#accessTimes.firstEnd(now), this.connections.nextLook(now)];
    let next = Math.min(...firsts.map((at) => at ?? Infinity));
    for (const { endsAt } of this.connections.all()) if (endsAt !== null && endsAt > now) next = Math.min(next, endsAt);
    if (next !== Infinity) await this.wakeBy(next);
  }

  async #lose(connectionId: string, locationId: string): Promise<void> {
    await this.revoke([connectionId], locationId);
    await this.exit(locationId, connectionId);
  }

  async #forget(id: string): Promise<void> {
    this.connections.forget(id);
    await Promise.all(this.subscriptions.drop(id).map((locationId) => this.exit(locationId, id)));
  }

  async #forgetLost(): Promise<void> {
    const lost = this.subscriptions.connectionIds().filter((id) => this.connections.find(id) === null);
    if (lost.length === 0) return;
    const left = [...this.subscriptions.dropAll(lost)];
    await Promise.all(left.map(([locationId, ids]) => this.#location(locationId).leave(this.name, ids)));
  }

  #location(locationId: string) {
    return this.env.HUB_LOCATION.getByName(locationId);
  }

  /** Opens a context for one event. */
  protected abstract context(): Context;
}
