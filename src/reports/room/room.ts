import { DurableObject } from "cloudflare:workers";
import { contextAt } from "../../access";
import type { Context } from "../../platform/context";
import { isMoving } from "../../platform/db/residence";
import { newId } from "../../platform/ids";
import { currentOrigin, describeFailure, type LogOrigin, log, noteCaller, withOrigin } from "../../platform/log";
import { SECOND } from "../../platform/time";
import { MAX_ROOM_CONNECTIONS, ROOM_RECHECK_INTERVAL_MS } from "../limits";
import { SharedDraft } from "./document";
import {
  ARRIVAL_HEADER,
  type Arrival,
  admit,
  arrivalSchema,
  type CloseReason,
  closeFor,
  type Member,
  Seat,
} from "./member";
import { askForPresence, askForState, Presence, refuseEdit, tellUpdate } from "./messages";
import { receive } from "./receive";
import { Register } from "./rooms";
import { standingOf } from "./settle";
import type { SentUpdate } from "./update-buffer";

/** Time after which writing a draft is tried again. */
const RETRY_DELAY_MS = 2 * SECOND;

/**
 * The room of one report: a y-websocket server whose document is the report's draft. Connections
 * hibernate; the updates are in the object's storage and, within a second, in the report's row.
 */
export abstract class ReportRoomObject extends DurableObject<Cloudflare.Env> {
  readonly draft: SharedDraft;
  readonly presence: Presence;
  readonly #register = new Register();

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.draft = new SharedDraft(
      ctx.storage,
      (all) => this.#permitted(all),
      (update, origin) => {
        this.broadcast(tellUpdate(update), origin instanceof Seat ? origin : null);
        void this.#schedule();
      },
    );
    this.presence = new Presence(this.draft.doc);
    // Hibernation loses the presence of the connected users.
    if (this.seats.length > 0) this.broadcast(askForPresence(), null);
  }

  get #reportId(): string {
    return this.ctx.id.name ?? "";
  }

  get seats(): Seat[] {
    return this.ctx.getWebSockets().map((socket) => new Seat(socket));
  }

  /** Opens a context for one event. */
  protected abstract context(): Context;

  /** A context in the database of the report. */
  #there(): Promise<Context> {
    return contextAt(this.context(), this.#reportId);
  }

  /** Sends a message to all connections except one. */
  broadcast(data: Uint8Array, except: Seat | null): void {
    for (const socket of this.ctx.getWebSockets()) if (except?.is(socket) !== true) new Seat(socket).send(data);
  }

  /** Runs work for a connected person: a message is a request of its own. */
  #for<T>({ credential }: Pick<Member, "credential">, work: () => T): T {
    return withOrigin({ requestId: newId(), workspace: null, caller: "anonymous" }, () => {
      noteCaller(credential.kind);
      return work();
    });
  }

  /** Accepts a connection that the route has authenticated by its token. */
  override async fetch(request: Request): Promise<Response> {
    const arrival = arrivalSchema.parse(JSON.parse(request.headers.get(ARRIVAL_HEADER) ?? ""));
    return this.#for(arrival, () => this.#accept(arrival));
  }

  async #accept(arrival: Arrival): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    const refusal = await this.#admit(arrival, server);
    if (refusal !== null) {
      server.accept();
      closeFor(server, refusal);
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  async #admit(arrival: Arrival, socket: WebSocket): Promise<CloseReason | null> {
    if (this.ctx.getWebSockets().length >= MAX_ROOM_CONNECTIONS) return "full";
    const context = await this.#there();
    const report = await this.draft.merge(context, this.#reportId);
    if (report === null) return "gone";
    const [admission] = await admit(context, report.locationId, [arrival], Date.now());
    if (admission === undefined || !admission.admitted) return admission?.reason ?? "forbidden";
    const { canWrite, checkAt } = admission;
    const { credential, expiresAt } = arrival;
    const { locationId } = report;
    const member: Member = { ...arrival, canWrite, checkAt, isToldToRead: false, clients: [] };
    socket.serializeAttachment(member);
    this.ctx.acceptWebSocket(socket);
    try {
      await this.#register.enter(context, report.tenantId, {
        reportId: this.#reportId,
        userId: credential.userId,
        locationId,
        expiresAt,
      });
    } catch (thrown) {
      // Without its row, a loss of access would not find this connection.
      socket.close(1011, "try again");
      throw thrown;
    }
    const seat = new Seat(socket);
    seat.send(askForState(this.draft.doc));
    const { all } = this.presence;
    if (all !== null) seat.send(all);
    // A second check finds access that was lost before the connection was accepted.
    this.ctx.waitUntil(this.recheck(currentOrigin()));
    return null;
  }

  override webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): void {
    if (this.#hasEnded) return;
    const seat = new Seat(socket);
    this.#for(seat.member, () => {
      receive(this, seat, data);
      if (!this.#isChecking && this.#checkedAt < Date.now() - ROOM_RECHECK_INTERVAL_MS)
        this.ctx.waitUntil(this.recheck(currentOrigin()));
    });
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    await this.#leave(socket);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#leave(socket);
  }

  async #leave(socket: WebSocket): Promise<void> {
    const { member } = new Seat(socket);
    const left = this.presence.leave(member);
    if (left !== null) this.broadcast(left, new Seat(socket));
    const { userId } = member.credential;
    await this.#register.leave(await this.#there(), this.#reportId, userId, () =>
      this.ctx.getWebSockets().some((other) => other !== socket && new Seat(other).member.credential.userId === userId),
    );
  }

  /** The report's location, which never changes; null until it is read. */
  #locationId: string | null = null;

  /** Returns the updates of users who may write now. Other users are notified, or their connections are closed. */
  async #permitted(all: readonly SentUpdate[]): Promise<SentUpdate[]> {
    const context = await this.#there();
    this.#locationId ??= (await standingOf(context, this.#reportId))?.locationId ?? null;
    if (this.#locationId === null) return [];
    const seats: Seat[] = [];
    for (const { seat } of all) if (!seats.some((known) => known.isSame(seat))) seats.push(seat);
    const members = seats.map(({ member }) => member);
    const admissions = await admit(context, this.#locationId, members, Date.now());
    const writers = seats.filter((seat, n) => {
      const admission = admissions[n];
      if (admission?.admitted === true && admission.canWrite) return true;
      if (admission?.admitted !== true) seat.close(admission?.reason ?? "forbidden");
      else if (this.seats.some((here) => here.isSame(seat))) refuseEdit(seat);
      return false;
    });
    return all.filter(({ seat }) => writers.some((writer) => writer.isSame(seat)));
  }

  #isChecking = false;
  /** Time of the last access check of all connections, milliseconds since the epoch. */
  #checkedAt = 0;

  /** Checks access for all connections, and closes connections without access or with an expired token. */
  recheck(origin?: LogOrigin): Promise<void> {
    return withOrigin(origin, () => this.#recheck());
  }

  async #recheck(): Promise<void> {
    const { seats } = this;
    if (seats.length === 0) return;
    this.#isChecking = true;
    try {
      const context = await this.#there();
      const standing = await standingOf(context, this.#reportId);
      if (standing === null) return this.#closeAll("gone");
      if (this.draft.isBehind(standing.revision)) await this.draft.merge(context, this.#reportId);
      const members = seats.map(({ member }) => member);
      const now = Date.now();
      const admissions = await admit(context, standing.locationId, members, now);
      for (const [n, seat] of seats.entries()) {
        const admission = admissions[n];
        if (admission === undefined || !admission.admitted) seat.close(admission?.reason ?? "forbidden");
        else seat.keep({ canWrite: admission.canWrite, checkAt: admission.checkAt });
      }
      this.#checkedAt = now;
    } finally {
      this.#isChecking = false;
    }
    await this.#schedule();
  }

  #closeAll(reason: CloseReason): void {
    for (const seat of this.seats) seat.close(reason);
  }

  /**
   * Writes unsettled edits to the report's row. @returns the new revision; null when there were no edits; `moving` while the
   * workspace moves: the room keeps the edits and writes them later. An error would lose its code on the way to the caller.
   */
  flush(origin?: LogOrigin): Promise<number | null | "moving"> {
    return withOrigin(origin, () => this.#flush());
  }

  async #flush(): Promise<number | null | "moving"> {
    await this.draft.takeIn();
    try {
      const settled = await this.#settle();
      return typeof settled === "number" ? settled : null;
    } catch (thrown) {
      if (isMoving(thrown)) return "moving";
      throw thrown;
    }
  }

  /** Whether the room has connections. */
  isOccupied(): boolean {
    return this.ctx.getWebSockets().length > 0;
  }

  async #settle(): Promise<number | "nothing" | "gone"> {
    if (this.#hasEnded) return "gone";
    const settled = await this.draft.settle(await this.#there(), this.#reportId, Date.now());
    if (settled === "gone") this.#closeAll("gone");
    return settled;
  }

  /** Merges a draft that was replaced outside the room. */
  async merge(origin?: LogOrigin): Promise<void> {
    const merged = await withOrigin(origin, async () => this.draft.merge(await this.#there(), this.#reportId));
    if (merged === null) this.#closeAll("gone");
  }

  #hasEnded = false;

  /** Closes the room of a deleted report and deletes all its data and tables. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.draft.end();
    this.#closeAll("gone");
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Time of the next alarm; null when no alarm is known. */
  #alarmAt: number | null = null;

  /** Sets the alarm to the earliest due task. */
  async #schedule(): Promise<void> {
    const now = Date.now();
    const times = this.seats.map(({ member }) => member.checkAt);
    const due = this.draft.dueAt(now);
    if (due !== null) times.push(due);
    if (times.length === 0) return;
    const next = Math.max(now, Math.min(...times));
    if (this.#alarmAt !== null && this.#alarmAt <= next) return;
    this.#alarmAt = next;
    await this.ctx.storage.setAlarm(next);
  }

  override alarm(): Promise<void> {
    return withOrigin(undefined, () => this.#look());
  }

  async #look(): Promise<void> {
    this.#alarmAt = null;
    try {
      if ((await this.#settle()) === "gone") return;
      const now = Date.now();
      if (this.seats.some(({ member }) => member.checkAt <= now)) await this.#recheck();
      await this.#schedule();
    } catch (thrown) {
      log("warn", "report-room.not-settled", { reportId: this.#reportId, ...describeFailure(thrown) });
      this.#alarmAt = Date.now() + RETRY_DELAY_MS;
      await this.ctx.storage.setAlarm(this.#alarmAt);
    }
  }
}
