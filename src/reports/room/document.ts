import { z } from "@hono/zod-openapi";
import * as Y from "yjs";
import { KeyedMutex } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import { beginChange } from "../../platform/db/change";
import { log } from "../../platform/log";
import { SECOND } from "../../platform/time";
import { announceReport } from "../drafts";
import { EDIT_ANNOUNCE_INTERVAL_MS, MAX_ROOM_HISTORY_BYTES } from "../limits";
import type { Content } from "../tables";
import type { Seat } from "./member";
import { tellRefusal } from "./messages";
import { readSettled, type SettledReport, writeSettled } from "./settle";
import { RULES, type Rule, Shape } from "./shape";
import { applyMoves, draftOf, headroomOf, writeSharedDraft } from "./shared-json";
import { type Permit, type SentUpdate, UpdateBuffer } from "./update-buffer";
import { Shares, UpdateLog } from "./update-log";

/** Edits within this time are written to the report's row together. */
const SETTLE_DELAY_MS = SECOND / 2;

/** Number of attempts to write a draft before the next alarm tries again. */
const MAX_TRIES = 10;

/** Origin of updates that are already in the report's row. */
const SETTLED = "settled";
/** Origin of an edit that removes invalid content. */
const TAKEN_BACK = "taken-back";
/** Origin of an edit that takes what was typed into a list item along to the item's new place. */
const TAKEN_ALONG = "taken-along";
/** Origin of updates of several people that are written together. */
const SEVERAL = "several";

/** The stored path of the body: after hibernation a room takes edits without reading the row. */
const bodySchema = z.array(z.string()).nullable().catch(null);

/** A started write: its revision, the digest of its content, and the end of the log. */
const intentSchema = z.object({ revision: z.int(), end: z.int(), digest: z.string() });

const digestOf = (content: Content): Promise<string> => sha256Hex(JSON.stringify(content));

/**
 * The shared document of one report, kept in step with the report's row. Edits in the room are written to the row as
 * its next revision. Other writes to the row are applied to the document as an edit.
 */
export class SharedDraft {
  readonly #doc = new Y.Doc();
  readonly #intake: UpdateBuffer;
  readonly #log: UpdateLog;
  readonly #shares: Shares;
  readonly #shape: Shape;
  /** Bytes of updates that may arrive before the draft must be measured. */
  #headroom = 0;
  /** Whether the edit that is applied was corrected, so that its writer must receive it too. */
  #isRepaired = false;
  /** The row that equals the settled updates; null until it is read. */
  #settled: SettledReport | null = null;
  #announcedAt = 0;
  #unannounced = false;
  readonly #mutex = new KeyedMutex();

  /**
   * `permit` returns the updates whose writers still have write access. `changed` is called with every stored update
   * and its origin: a seat, if one user made it.
   */
  constructor(
    private readonly storage: DurableObjectStorage,
    permit: Permit,
    changed: (update: Uint8Array, origin: unknown) => void,
  ) {
    this.#intake = new UpdateBuffer(permit, (all) => this.#apply(all));
    this.#shares = new Shares(storage.kv);
    this.#log = new UpdateLog(storage.sql, (factor) => this.#shares.scale(factor));
    this.#shape = new Shape(this.#doc);
    this.#log.document(true, this.#doc);
    this.#shape.lookAt(bodySchema.parse(storage.kv.get("body")));
    this.#doc.on("update", (update: Uint8Array, origin: unknown) => {
      this.#log.append(update, origin === SETTLED);
      changed(update, this.#isRepaired ? SEVERAL : origin);
    });
  }

  /** Bytes of the stored history. */
  get bytes(): number {
    return this.#log.bytes;
  }

  /** The shared document. */
  get doc(): Y.Doc {
    return this.#doc;
  }

  /** Time of the next run of `settle`, milliseconds since the epoch; null when there is nothing to do. */
  dueAt(now: number): number | null {
    if (this.#log.isUnsettled) return now + SETTLE_DELAY_MS;
    return this.#unannounced ? this.#announcedAt + EDIT_ANNOUNCE_INTERVAL_MS : null;
  }

  /** Bytes of updates that wait, in memory only, for missing earlier edits. */
  get #waitingBytes(): number {
    return this.#doc.store.pendingStructs?.update.byteLength ?? 0;
  }

  /** Whether a user's update of this size fits: no user's share may be larger than the space left for the others. */
  hasRoomFor(bytes: number, userId: string): boolean {
    const fits = () => {
      const taken = this.#log.bytes + this.#intake.bytes + this.#waitingBytes;
      // A user's share is never larger than the whole history, so below half of the limit it always fits.
      if (2 * (taken + bytes) <= MAX_ROOM_HISTORY_BYTES) return true;
      return this.#shares.of(userId) + this.#intake.bytesOf(userId) + bytes <= MAX_ROOM_HISTORY_BYTES - taken - bytes;
    };
    if (fits()) return true;
    if (this.#log.bytes <= this.#compactFrom) return false;
    this.#log.compact();
    this.#compactFrom = Math.max(this.#log.bytes * 1.25, MAX_ROOM_HISTORY_BYTES / 4);
    return fits();
  }

  /** Minimum size of a history that is compacted, bytes. */
  #compactFrom = 0;

  /** Buffers a user's update. After the access check it is written and sent to the others. */
  take(update: Uint8Array, seat: Seat): void {
    this.#intake.add({ update, seat });
  }

  /** Stops writing: the report was deleted. */
  end(): void {
    this.#intake.end();
  }

  /** One transaction, one row of the log and one message to the others, however many updates there are. */
  #apply(all: readonly SentUpdate[]): void {
    const seat = all[0]?.seat;
    const origin = all.every((one) => seat?.isSame(one.seat)) ? seat : SEVERAL;
    const before = this.#log.bytes;
    const sent = new Map<string, number>();
    this.#isRepaired = false;
    this.#doc.transact((transaction) => {
      for (const { update, seat } of all) {
        const { userId } = seat.member.credential;
        sent.set(userId, (sent.get(userId) ?? 0) + update.byteLength);
        const broken = this.#applyOne(transaction, update, seat);
        for (const rule of broken) seat.send(tellRefusal(`${rule}: ${RULES[rule]}`));
        if (broken.size > 0) this.#isRepaired = true;
      }
    }, origin);
    this.#isRepaired = false;
    this.#shares.add(this.#log.bytes - before, sent);
    if (this.#waitingBytes === 0) this.#shares.clearWaiting();
  }

  /** Applies one user's update and removes invalid content. @returns the rules that the update broke. */
  #applyOne(transaction: Y.Transaction, update: Uint8Array, seat: Seat): ReadonlySet<Rule> {
    const clocks = this.#shape.clocks();
    const waiting = this.#waitingBytes;
    const said = update.byteLength + waiting > this.#headroom ? draftOf(this.#doc) : null;
    try {
      Y.applyUpdate(this.#doc, update);
    } catch {
      seat.close("malformed");
    }
    // Updates that waited for this update are applied with it.
    const size = update.byteLength + Math.max(0, waiting - this.#waitingBytes);
    if (this.#waitingBytes > waiting) this.#shares.wait(seat.member.credential.userId, this.#waitingBytes - waiting);
    const broken = this.#shape.keep(transaction, clocks);
    if (said === null) {
      this.#headroom -= size;
      return broken;
    }
    const says = draftOf(this.#doc);
    this.#headroom = headroomOf(says ?? said);
    if (says !== null) return broken;
    writeSharedDraft(this.#doc, said, this.#shape.path, TAKEN_BACK);
    this.#shape.lookAt(this.#shape.path);
    return broken.add("not-a-draft");
  }

  /** Serializes reading, merging and writing, because each waits for the database. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive("", work);
  }

  /** Whether the report's row has another revision than the document. */
  isBehind(revision: number): boolean {
    return this.storage.kv.get("revision") !== revision;
  }

  /** Writes the buffered updates into the document. */
  takeIn(): Promise<void> {
    return this.#intake.writeAll();
  }

  /** Merges the report's current row into the document. @returns the row, or null when the report was deleted. */
  merge(context: Context, reportId: string): Promise<SettledReport | null> {
    return this.#inTurn(() => this.#merge(context, reportId));
  }

  async #merge(context: Context, reportId: string): Promise<SettledReport | null> {
    const row = await readSettled(context, reportId);
    if (row === null) return null;
    await this.#recognize(row);
    if (this.isBehind(row.revision)) {
      // The row is based on the settled updates, so its edit is made there and merged with later updates.
      const before = this.#log.document(false);
      const known = Y.encodeStateVector(before);
      const moves = writeSharedDraft(before, row.contentJson, row.body, SETTLED);
      const origins = { update: SETTLED, taken: TAKEN_ALONG };
      applyMoves(this.#doc, Y.encodeStateAsUpdate(before, known), moves, row.body, origins);
      this.storage.kv.put("revision", row.revision);
      this.#headroom = 0;
    }
    this.storage.kv.put("body", row.body);
    this.#shape.lookAt(row.body);
    this.#settled = row;
    return row;
  }

  /** Settles a write whose answer was lost. Merging it as a write of someone else would duplicate its edits. */
  async #recognize(row: SettledReport): Promise<void> {
    const intended = intentSchema.safeParse(this.storage.kv.get("writing")).data;
    if (intended === undefined || intended.revision !== row.revision) return;
    if (intended.digest !== (await digestOf(row.contentJson))) return;
    if (this.storage.kv.get("revision") === row.revision) return;
    this.storage.kv.put("revision", row.revision);
    this.#log.settle(intended.end);
  }

  /** Writes edits to the report's row. @returns the new revision. */
  settle(context: Context, reportId: string, now: number): Promise<number | "nothing" | "gone"> {
    return this.#inTurn(() => this.#settle(context, reportId, now));
  }

  async #settle(context: Context, reportId: string, now: number): Promise<number | "nothing" | "gone"> {
    if (!this.#log.isUnsettled) return this.#announceLate(context, now);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = this.#settled ?? (await this.#merge(context, reportId));
      if (row === null) return "gone";
      const content = draftOf(this.#doc);
      if (content === null) {
        log("warn", "report-room.edit-taken-back", { reportId });
        writeSharedDraft(this.#doc, row.contentJson, row.body, TAKEN_BACK);
        continue;
      }
      const end = this.#log.end;
      const announce = now - this.#announcedAt >= EDIT_ANNOUNCE_INTERVAL_MS;
      this.storage.kv.put("writing", { revision: row.revision + 1, end, digest: await digestOf(content) });
      if (await writeSettled(context, row, content, announce)) {
        this.storage.kv.put("revision", row.revision + 1);
        this.#settled = { ...row, contentJson: content, revision: row.revision + 1 };
        this.#log.settle(end);
        this.#unannounced = !announce;
        if (announce) this.#announcedAt = now;
        return row.revision + 1;
      }
      // Someone replaced the draft: their version is merged first.
      if ((await this.#merge(context, reportId)) === null) return "gone";
    }
    throw new Error(`the draft of report ${reportId} could not be written in ${MAX_TRIES} tries`);
  }

  /** Announces revisions that were written without an announcement. */
  async #announceLate(context: Context, now: number): Promise<"nothing"> {
    const row = this.#settled;
    if (!this.#unannounced || row === null || now - this.#announcedAt < EDIT_ANNOUNCE_INTERVAL_MS) return "nothing";
    const change = beginChange(context, row.tenantId);
    announceReport(change, row, "updated", row.revision);
    await change.commit();
    this.#unannounced = false;
    this.#announcedAt = now;
    return "nothing";
  }
}
