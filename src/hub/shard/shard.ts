import { DurableObject } from "cloudflare:workers";
import { type CredentialEnd, type CredentialRef, loadCredentialEnds } from "../../access";
import { openContext } from "../../context";
import type { UserNotifications } from "../../platform/live";
import { Rounds } from "../../platform/rounds";
import { REST_OF_ARRIVALS, type Registration } from "../location/channel";
import { JSON_PING } from "../protocol";
import { unauthorized } from "../refusals";
import { Begun } from "./begun";
import { arrivalSchema, CONNECTION_HEADER, type Connection } from "./connection";
import { Connections } from "./connections";
import { type Entered, enterTogether } from "./enter";
import { invokeMethod, type ShardPort } from "./invoke";
import { Joins } from "./joins";
import { notifyConnections } from "./notify";
import { closeWith, LARGEST_MESSAGE, receive, sendMessage } from "./receive";
import { recheckConnections } from "./recheck";
import { answerRequest, type TransportPort } from "./requests";
import { Turns } from "./turns";
import { UnderWay } from "./under-way";

/** Connections of this shard that one call lets into a location or out of it, or whose credentials one query reads. */
const AT_ONCE = 1_000;

/**
 * Live connections of some users. WebSockets hibernate with their state in their attachments; event
 * streams and polls live in memory and are the client's to open again when it is gone.
 */
export class HubShard extends DurableObject<Cloudflare.Env> implements ShardPort, TransportPort {
  readonly connections: Connections;
  readonly joins: Joins;
  readonly begun: Begun;
  /** What must not overlap: joins and leaves of a connection at a location, and setting the alarm. */
  readonly turns = new Turns();
  readonly #underWay = new UnderWay();
  readonly #entries = new Rounds<Registration, Entered>(
    (asking, at) => enterTogether(this.joins, at, asking, (admitted) => this.#location(at).join(admitted)),
    AT_ONCE,
    REST_OF_ARRIVALS,
  );
  readonly #exits = new Rounds<string, null>(async (connectionIds, at) => {
    await this.#location(at).leave(this.name, connectionIds);
    return connectionIds.map(() => null);
  }, AT_ONCE);
  readonly #credentials = new Rounds<CredentialRef, CredentialEnd>(
    (credentials) => loadCredentialEnds(this.#context().db, credentials, Date.now()),
    AT_ONCE,
    REST_OF_ARRIVALS,
  );

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.connections = new Connections(ctx);
    this.joins = new Joins(ctx.storage.sql);
    this.begun = new Begun(ctx.storage.sql);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(JSON_PING, JSON_PING));
    // Connections that ended with this object's former life still stand in the locations' lists.
    ctx.waitUntil(this.#forgetLost());
  }

  get name(): string {
    return this.ctx.id.name ?? "";
  }

  enter(locationId: string, registration: Registration): Promise<Entered> {
    this.joins.ask(registration.connectionId, locationId);
    return this.#entries.ask(registration, locationId);
  }

  async exit(locationId: string, connectionId: string): Promise<void> {
    await this.#exits.ask(connectionId, locationId);
  }

  /** Whether a credential lives: asked of the database for all who come at the same time. */
  async isLive(credential: CredentialRef): Promise<boolean> {
    return !("ended" in (await this.#credentials.ask(credential)));
  }

  override async fetch(request: Request): Promise<Response> {
    const arrival = arrivalSchema.parse(JSON.parse(request.headers.get(CONNECTION_HEADER) ?? ""));
    if (!arrival.isLive) {
      const end = await this.#credentials.ask(arrival.credential);
      if ("ended" in end) return unauthorized();
      arrival.credential.expiresAt = end.expiresAt;
    }
    return answerRequest(this, arrival, request);
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await this.receive(this.connections.ofSocket(socket), data);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    const connection = this.connections.ofSocket(socket);
    // 1005 and 1006 say that no code came; they may not be sent.
    connection.end(code === 1005 || code === 1006 ? 1000 : code);
    await this.#forget(connection.id);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#forget(this.connections.ofSocket(socket).id);
  }

  /** Handles what a client sent. */
  async receive(connection: Connection, data: string | ArrayBuffer): Promise<void> {
    const bytes = typeof data === "string" ? data.length : data.byteLength;
    // What is larger than a message may be is refused by its own rule, in its own words.
    if (bytes <= LARGEST_MESSAGE && !this.#underWay.begin(connection.id, bytes))
      return closeWith(connection, "Connection closed with an error. Too many messages are under way.");
    try {
      await receive(connection, data, (from, target, args) => invokeMethod(this, from, target, args));
    } finally {
      if (bytes <= LARGEST_MESSAGE) this.#underWay.end(connection.id, bytes);
    }
    if (connection.protocol !== null) this.connections.shaken(connection.id);
  }

  /** Sends a frame to these connections; answers those that are gone. */
  async deliver(connectionIds: string[], json: string, messagepack: Uint8Array<ArrayBuffer>): Promise<string[]> {
    const dead: string[] = [];
    for (const id of connectionIds) {
      const connection = this.connections.find(id);
      if (
        connection === null ||
        connection.protocol === null ||
        !connection.send(connection.protocol === "json" ? json : messagepack)
      ) {
        connection?.end();
        dead.push(id);
      }
    }
    if (dead.length > 0) this.joins.dropAll(dead);
    return dead;
  }

  /** Tells these connections that they are not joined to the location any more. */
  async revoke(connectionIds: string[], locationId: string): Promise<void> {
    for (const id of connectionIds) {
      const connection = this.connections.find(id);
      if (!this.joins.remove(id, locationId) || connection === null) continue;
      sendMessage(connection, {
        type: "invocation",
        invocationId: null,
        target: "SubscriptionRevoked",
        arguments: ["location", locationId],
      });
    }
  }

  /** Sends notifications to their users' connections, each as far as that very credential may see them. */
  async notify(notifications: UserNotifications[]): Promise<void> {
    await notifyConnections(this.#context(), this.connections, notifications);
  }

  /** Looks again at these people's connections: dead credentials are closed, lost locations revoked. */
  async recheckUsers(userIds: string[]): Promise<void> {
    await this.#recheck([...new Set(userIds)].flatMap((userId) => this.connections.of(userId)));
  }

  /** Looks again at the connections that joined one of these locations. */
  async recheckLocations(locationIds: string[]): Promise<void> {
    const joined = this.joins.connectionsAt(locationIds).map((id) => this.connections.find(id));
    await this.#recheck(joined.filter((connection) => connection !== null));
  }

  async expectEnd(endsAt: number | null): Promise<void> {
    if (endsAt === null) return;
    // One after the other: of two that both find no alarm, the second must not put off the first's.
    await this.turns.take("alarm", async () => {
      const set = await this.ctx.storage.getAlarm();
      if (set === null || set > endsAt) await this.ctx.storage.setAlarm(endsAt);
    });
  }

  /** Credentials and grants end at their time, not at the next event. */
  override async alarm(): Promise<void> {
    const now = Date.now();
    const ended = new Set(this.joins.ended(now));
    const due = this.connections
      .all()
      .filter(({ id, credential }) => ended.has(id) || (credential.expiresAt ?? Infinity) <= now);
    await this.#recheck(due);
  }

  gone(id: string): void {
    this.connections.forget(id);
    this.ctx.waitUntil(this.#forget(id));
  }

  async #recheck(connections: Connection[]): Promise<void> {
    await recheckConnections(this.#context(), connections, this.joins, (id, locationId) => this.#lose(id, locationId));
    await this.#expectNextEnd();
  }

  /** Wakes at the next end of a credential or grant; what has ended by now has been dealt with. */
  async #expectNextEnd(): Promise<void> {
    const now = Date.now();
    let next = this.joins.firstEnd(now) ?? Infinity;
    for (const { credential } of this.connections.all())
      if (credential.expiresAt !== null && credential.expiresAt > now) next = Math.min(next, credential.expiresAt);
    if (next !== Infinity) await this.expectEnd(next);
  }

  async #lose(connectionId: string, locationId: string): Promise<void> {
    await this.revoke([connectionId], locationId);
    await this.exit(locationId, connectionId);
  }

  async #forget(id: string): Promise<void> {
    this.connections.forget(id);
    await Promise.all(this.joins.drop(id).map((locationId) => this.exit(locationId, id)));
  }

  async #forgetLost(): Promise<void> {
    const lost = this.joins.connectionIds().filter((id) => this.connections.find(id) === null);
    if (lost.length === 0) return;
    const left = [...this.joins.dropAll(lost)];
    await Promise.all(left.map(([locationId, ids]) => this.#location(locationId).leave(this.name, ids)));
  }

  #location(locationId: string) {
    return this.env.HUB_LOCATION.getByName(locationId);
  }

  #context() {
    return openContext(this.env, (work) => this.ctx.waitUntil(work)).context;
  }
}
