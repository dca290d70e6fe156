import { createHash } from "node:crypto";
import { closeSync, opendirSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, isFull, isReadOnly, makeFolder, PART, syncFolder, writeWhole } from "../files";
import { type ClockReading, fileNameOf, type Intent, intentOf, type TakenAt } from "./intent";
import { type End, Ledger, type LedgerLine, type Totals } from "./ledger";
import { mostSuperfluous } from "./thin";

/** Maximum number of images that are kept for people to inspect. The oldest are deleted first. */
const MAX_KEPT_APART = 100;
const BLOCK = 64 * 1024;

/** The part of a waiting image that is in memory. Its file's name has the rest. */
export interface Frame {
  readonly name: string;
  /** When it was taken, milliseconds since the epoch; NaN until it is resolved. */
  readonly at: number;
  readonly size: number;
}

export const idOf = ({ name }: Frame): string => name.slice(0, 36);
export const intentOfFrame = ({ name }: Frame): Intent => {
  const intent = intentOf(name);
  if (intent === null) throw new Error(`no intent: ${name}`);
  return intent;
};

function frameOf(name: string): Frame | null {
  const intent = intentOf(name);
  if (intent === null) return null;
  const at = intent.takenAt.quality === "unresolved" ? Number.NaN : intent.takenAt.at;
  return { name, at, size: intent.sizeBytes };
}

/** Removes what an earlier process left. A read-only file system keeps it until a later start. */
function tidy(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!isReadOnly(thrown)) throw thrown;
  }
}

/** The names in a folder, a few at a time: a list of thousands would take memory permanently. */
function* namesIn(path: string): Generator<string> {
  const folder = opendirSync(path);
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry.name;
  } finally {
    folder.closeSync();
  }
}

/** The images of one camera that wait on disk for the service, with an index of their names. */
export class Spool {
  readonly #frames: string;
  readonly #apart: string;
  readonly #ledger: Ledger;
  /** Oldest first. */
  #resolved: Frame[] = [];
  #unresolved: Frame[] = [];
  #bytes = 0;
  /** Oldest first. */
  readonly #apartNames: string[];

  constructor(folder: string) {
    this.#frames = join(folder, "frames");
    this.#apart = join(folder, "apart");
    makeFolder(this.#frames);
    makeFolder(this.#apart);
    this.#ledger = new Ledger(folder);
    this.#apartNames = readdirSync(this.#apart)
      .map((name) => ({ name, at: statSync(join(this.#apart, name)).mtimeMs }))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name);
    const ended = new Map(this.#ledger.read().map((line) => [line.captureId, line]));
    for (const name of namesIn(this.#frames)) {
      if (name.endsWith(PART)) tidy(() => rmSync(join(this.#frames, name), { force: true }));
      const frame = frameOf(name);
      if (frame === null) continue;
      const line = ended.get(idOf(frame));
      if (line === undefined) this.#index(frame);
      else tidy(() => this.#putAway(name, line.end));
    }
  }

  get count(): number {
    return this.#resolved.length + this.#unresolved.length;
  }
  get bytes(): number {
    return this.#bytes;
  }
  get totals(): Readonly<Totals> {
    return this.#ledger.totals;
  }
  get apart(): number {
    return this.#apartNames.length;
  }
  get oldest(): Frame | undefined {
    return this.#resolved[0];
  }
  get newest(): Frame | undefined {
    return this.#resolved.at(-1);
  }
  get unresolved(): readonly Frame[] {
    return this.#unresolved;
  }
  /** Images whose time is known, oldest first. */
  get resolved(): readonly Frame[] {
    return this.#resolved;
  }
  ends(): LedgerLine[] {
    return this.#ledger.read();
  }

  path({ name }: Frame): string {
    return join(this.#frames, name);
  }

  find(captureId: string): Frame | null {
    const isIt = (frame: Frame) => idOf(frame) === captureId;
    return this.#resolved.find(isIt) ?? this.#unresolved.find(isIt) ?? null;
  }

  /** Whether an image was stored under this id, even if it has ended since. */
  knows(captureId: string): boolean {
    return this.find(captureId) !== null || this.ends().some((line) => line.captureId === captureId);
  }

  /** Stores an image with its intent durably. @throws when the disk is full; then nothing is stored. */
  keep(bytes: Uint8Array, given: { captureId: string; assignmentGeneration: number; takenAt: TakenAt }): Frame {
    const checksumSha256 = createHash("sha256").update(bytes).digest("hex");
    const name = fileNameOf({ ...given, sizeBytes: bytes.length, checksumSha256 });
    writeWhole(join(this.#frames, name), bytes);
    const frame = frameOf(name);
    if (frame === null) throw new Error(`not a name of an image: ${name}`);
    this.#index(frame);
    return frame;
  }

  /** Sets the resolved time of an image, and the assignment of that time: once, before it is announced. */
  resolve(
    frame: Frame,
    takenAt: Exclude<TakenAt, { quality: "unresolved" }>,
    assignmentGeneration = intentOfFrame(frame).assignmentGeneration,
  ): Frame {
    const name = fileNameOf({ ...intentOfFrame(frame), assignmentGeneration, takenAt });
    renameSync(this.path(frame), join(this.#frames, name));
    syncFolder(this.#frames);
    this.#unindex(frame);
    const resolved = { name, at: takenAt.at, size: frame.size };
    this.#index(resolved);
    return resolved;
  }

  /** The reading of the clocks of an image whose time is not resolved. */
  readingOf(frame: Frame): ClockReading {
    const { takenAt } = intentOfFrame(frame);
    if (takenAt.quality !== "unresolved") throw new Error("the time of this image is resolved");
    return takenAt.reading;
  }

  /** Whether the bytes on disk are the stored ones. */
  isWhole(frame: Frame): boolean {
    const { checksumSha256, sizeBytes } = intentOfFrame(frame);
    const block = Buffer.alloc(BLOCK);
    const hash = createHash("sha256");
    let size = 0;
    try {
      const handle = openSync(this.path(frame), "r");
      try {
        for (let read = readSync(handle, block); read > 0; read = readSync(handle, block)) {
          hash.update(block.subarray(0, read));
          size += read;
        }
      } finally {
        closeSync(handle);
      }
    } catch (thrown) {
      if (["ENOENT", "EIO", "EUCLEAN"].includes(codeOf(thrown) ?? "")) return false;
      throw thrown;
    }
    return size === sizeBytes && hash.digest("hex") === checksumSha256;
  }

  /** Records that an image was not stored, before it is removed. With a full disk, the line follows with the next one. */
  unwanted(captureId: string, cause: string): void {
    this.#ledger.note(captureId, "unwanted", cause, true);
  }

  /** Ends an image: records the end, and then deletes the image or keeps it for inspection. */
  end(frame: Frame, end: End, cause: string | null = null): void {
    try {
      this.#ledger.note(idOf(frame), end, cause);
    } catch (thrown) {
      // A full disk has no space for the record, so the file is emptied first.
      if (!isFull(thrown) || end === "rejected" || end === "refused" || end === "damaged") throw thrown;
      rmSync(this.path(frame), { force: true });
      this.#ledger.note(idOf(frame), end, cause, true);
    }
    this.#putAway(frame.name, end);
    this.#unindex(frame);
  }

  /** The image whose deletion leaves the smallest gap, or null when none may be deleted. */
  leastMissed(mayGo: (frame: Frame) => boolean): Frame | null {
    const at = mostSuperfluous(
      this.#resolved.map((frame) => frame.at),
      (index) => mayGo(this.#resolved[index] as Frame),
    );
    return at === null ? (this.#unresolved.find(mayGo) ?? null) : (this.#resolved[at] as Frame);
  }

  #index(frame: Frame): void {
    this.#bytes += frame.size;
    if (Number.isNaN(frame.at)) {
      this.#unresolved.push(frame);
      return;
    }
    let [low, high] = [0, this.#resolved.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#resolved[middle] as Frame).at <= frame.at) low = middle + 1;
      else high = middle;
    }
    this.#resolved.splice(low, 0, frame);
  }

  #unindex({ name, size, at }: Frame): void {
    const list = Number.isNaN(at) ? this.#unresolved : this.#resolved;
    const found = list.findIndex((frame) => frame.name === name);
    if (found === -1) return;
    list.splice(found, 1);
    this.#bytes -= size;
  }

  #putAway(name: string, end: End): void {
    const file = join(this.#frames, name);
    if (end === "rejected" || end === "refused" || end === "damaged") {
      try {
        renameSync(file, join(this.#apart, name));
      } catch (thrown) {
        if (codeOf(thrown) !== "ENOENT") throw thrown;
        return;
      }
      if (!this.#apartNames.includes(name)) this.#apartNames.push(name);
      while (this.#apartNames.length > MAX_KEPT_APART)
        rmSync(join(this.#apart, this.#apartNames.shift() as string), { force: true });
    } else rmSync(file, { force: true });
  }
}
