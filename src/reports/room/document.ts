import { z } from "@hono/zod-openapi";
import * as Y from "yjs";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/hash";
import { beginChange } from "../../platform/db/change";
import { log } from "../../platform/log";
import { SECOND } from "../../platform/time";
import { announceReport } from "../drafts/reports";
import type { Content } from "../tables";
import type { Seat } from "./member";
import { tellRefusal } from "./messages";
import { readSettled, type SettledReport, writeSettled } from "./settle";
import { RULES, type Rule, Shape } from "./shape";
import { draftOf, headroomOf, sayDraft } from "./shared-json";
import { type Permit, type SentUpdate, UpdateBuffer } from "./update-buffer";
import { Shares, UpdateLog } from "./update-log";

/** Edits of this time are written together. */
const SETTLE_DELAY_MS = SECOND / 2;
/** Those who look at a location are told of a draft that is being edited at most once in this time. */
const ANNOUNCE_INTERVAL_MS = 5 * SECOND;
/** Largest history of a draft, bytes: a draft has 1 MB, and what was deleted weighs little. */
export const MAX_HISTORY_BYTES = 16 * 1024 * 1024;

/** Times a draft is tried to be written before the next alarm does it. */
const MAX_TRIES = 10;

/** Origins of updates that the report's row says already. */
const SETTLED = "settled";
/** Origin of an edit that takes back what a draft may not say. */
const TAKEN_BACK = "taken-back";
/** Origin of updates of several people that are written together. */
const SEVERAL = "several";

/** Where the body is, as the storage keeps it: a room that slept reads no row before it takes edits. */
const bodySchema = z.array(z.string()).nullable().catch(null);

/** A write that was begun: which revision it makes, of what, and where the log ended. */
const intentSchema = z.object({ revision: z.int(), end: z.int(), digest: z.string() });

const digestOf = (content: Content): Promise<string> => sha256Hex(JSON.stringify(content));

/**
 * The shared document of one report and how it stays one with the report's row: what people edit is
 * written to the row as its next revision, and what was written to the row by others comes in as an edit.
 */
export class SharedDraft {
  readonly #doc = new Y.Doc();
  readonly #intake: UpdateBuffer;
  readonly #log: UpdateLog;
  readonly #shares: Shares;
  readonly #shape: Shape;
  /** Bytes of updates that may come before what the draft says must be measured. */
  #headroom = 0;
  /** Whether what is being applied was changed for its own writer too. */
  #isRepaired = false;
  /** The row that the settled updates say; null until it was read. */
  #settled: SettledReport | null = null;
  #announcedAt = 0;
  #unannounced = false;
  #work: Promise<unknown> = Promise.resolve();

  /**
   * `permit` says which updates their writers may still make. `changed` hears of every update that is kept, with
   * who made it: a seat, if it was one person.
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

  /** Bytes of the history that is kept. */
  get bytes(): number {
    return this.#log.bytes;
  }

  /** The document as it is kept. */
  get doc(): Y.Doc {
    return this.#doc;
  }

  /** When `settle` has something to do, milliseconds since the epoch; null while nothing is to be done. */
  dueAt(now: number): number | null {
    if (this.#log.isUnsettled) return now + SETTLE_DELAY_MS;
    return this.#unannounced ? this.#announcedAt + ANNOUNCE_INTERVAL_MS : null;
  }

  /** What refers to edits that never came is kept in memory alone, waiting for them. */
  get #waitingBytes(): number {
    return this.#doc.store.pendingStructs?.update.byteLength ?? 0;
  }

  /** Whether an update of this size may still be taken of somebody: nobody's part is larger than what is left for the others. */
  hasRoomFor(bytes: number, userId: string): boolean {
    const fits = () => {
      const taken = this.#log.bytes + this.#intake.bytes + this.#waitingBytes;
      // Nobody's part is larger than the whole: it is asked for only where it can matter.
      if (2 * (taken + bytes) <= MAX_HISTORY_BYTES) return true;
      return this.#shares.of(userId) + this.#intake.bytesOf(userId) + bytes <= MAX_HISTORY_BYTES - taken - bytes;
    };
    if (fits()) return true;
    if (this.#log.bytes <= this.#compactFrom) return false;
    this.#log.compact();
    this.#compactFrom = Math.max(this.#log.bytes * 1.25, MAX_HISTORY_BYTES / 4);
    return fits();
  }

  /** Bytes of the history from which it is worth to make it shorter. */
  #compactFrom = 0;

  /** Takes what somebody sent: it is written, and told to the others, when they are found to be allowed to. */
  take(update: Uint8Array, seat: Seat): void {
    this.#intake.add({ update, seat });
  }

  /** Writes nothing more: the report is gone. */
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

  /** Applies what one person sent, and takes back of it what a draft may not hold. @returns the rules it broke. */
  #applyOne(transaction: Y.Transaction, update: Uint8Array, seat: Seat): ReadonlySet<Rule> {
    const clocks = this.#shape.clocks();
    const waiting = this.#waitingBytes;
    const said = update.byteLength + waiting > this.#headroom ? draftOf(this.#doc) : null;
    try {
      Y.applyUpdate(this.#doc, update);
    } catch {
      seat.close("malformed");
    }
    // What waited for it is applied with it.
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
    sayDraft(this.#doc, said, this.#shape.path, TAKEN_BACK);
    this.#shape.lookAt(this.#shape.path);
    return broken.add("not-a-draft");
  }

  /** One after the other: reading, merging and writing each wait for the database. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#work.then(work, work);
    this.#work = mine;
    return mine;
  }

  /** Whether the report's row has come to another revision than the document knows. */
  isBehind(revision: number): boolean {
    return this.storage.kv.get("revision") !== revision;
  }

  /** Writes what has arrived of what people edit. */
  takeIn(): Promise<void> {
    return this.#intake.writeAll();
  }

  /** Brings in what the report's row says today. @returns the row, or null when the report is gone. */
  merge(context: Context, reportId: string): Promise<SettledReport | null> {
    return this.#inTurn(() => this.#merge(context, reportId));
  }

  async #merge(context: Context, reportId: string): Promise<SettledReport | null> {
    const row = await readSettled(context, reportId);
    if (row === null) return null;
    await this.#recognize(row);
    if (this.isBehind(row.revision)) {
      // The row was made from what is settled: its edit is of that, and merges with what came since.
      const before = this.#log.document(false);
      const known = Y.encodeStateVector(before);
      sayDraft(before, row.contentJson, row.body, SETTLED);
      Y.applyUpdate(this.#doc, Y.encodeStateAsUpdate(before, known), SETTLED);
      this.storage.kv.put("revision", row.revision);
      this.#headroom = 0;
    }
    this.storage.kv.put("body", row.body);
    this.#shape.lookAt(row.body);
    this.#settled = row;
    return row;
  }

  /** Settles what a write brought to the row whose answer was lost: merged as somebody else's it would stand there twice. */
  async #recognize(row: SettledReport): Promise<void> {
    const intended = intentSchema.safeParse(this.storage.kv.get("writing")).data;
    if (intended === undefined || intended.revision !== row.revision) return;
    if (intended.digest !== (await digestOf(row.contentJson))) return;
    if (this.storage.kv.get("revision") === row.revision) return;
    this.storage.kv.put("revision", row.revision);
    this.#log.settle(intended.end);
  }

  /** Writes to the report's row what people have edited. @returns the revision that was written. */
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
        sayDraft(this.#doc, row.contentJson, row.body, TAKEN_BACK);
        continue;
      }
      const end = this.#log.end;
      const announce = now - this.#announcedAt >= ANNOUNCE_INTERVAL_MS;
      this.storage.kv.put("writing", { revision: row.revision + 1, end, digest: await digestOf(content) });
      if (await writeSettled(context, row, content, announce)) {
        this.storage.kv.put("revision", row.revision + 1);
        this.#settled = { ...row, contentJson: content, revision: row.revision + 1 };
        this.#log.settle(end);
        this.#unannounced = !announce;
        if (announce) this.#announcedAt = now;
        return row.revision + 1;
      }
      // Somebody replaced the draft: theirs comes in first.
      if ((await this.#merge(context, reportId)) === null) return "gone";
    }
    throw new Error(`the draft of report ${reportId} could not be written in ${MAX_TRIES} tries`);
  }

  /** Tells of revisions that were written in silence. */
  async #announceLate(context: Context, now: number): Promise<"nothing"> {
    const row = this.#settled;
    if (!this.#unannounced || row === null || now - this.#announcedAt < ANNOUNCE_INTERVAL_MS) return "nothing";
    const change = beginChange(context);
    announceReport(change, row, "updated", row.revision);
    await change.commit();
    this.#unannounced = false;
    this.#announcedAt = now;
    return "nothing";
  }
}
