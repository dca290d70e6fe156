import { crc32 } from "node:zlib";
import type { Context } from "../../platform/context";
import { randomHex } from "../../platform/crypto/bytes";
import { beginChange, type Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { JobFailure } from "../../platform/jobs/handlers";
import { measurePage } from "../../platform/zip/archive";
import { registerPendingObjects } from "../../uploads";
import { storedObjects } from "../../uploads/tables";
import { prefixOf } from "../exports";
import {
  EXPORT_OBJECTS_GRACE_MS,
  IMAGES_PER_SLICE,
  MAX_PREPARATION_MS,
  TEXT_BYTES_PER_SLICE,
  WORKSPACE_EXPORT_LIFETIME_MS,
} from "../limits";
import { type ExportedFile, writePage } from "../manifest";
import { type WorkspaceExportRow, workspaceExportPages } from "../tables";
import type { PreparationState } from "./state";

const encoder = new TextEncoder();

/**
 * What one slice adds to an export: files of the bucket, and text. It is written at the end of the slice, under keys that no
 * other try of the slice has: so a worker that lost its lease changes nothing.
 */
export class Writer {
  readonly #files: ExportedFile[] = [];
  readonly #text: Uint8Array[] = [];
  #textBytes = 0;
  #work = 0;
  readonly #key: string;
  #open: PreparationState["open"];

  constructor(
    readonly context: Context,
    readonly row: WorkspaceExportRow,
    readonly state: PreparationState,
  ) {
    this.#key = `${prefixOf(row)}${randomHex(16)}`;
    this.#open = state.open;
  }

  /** Whether the slice should end: it has much text in memory, or many files. */
  get isFull(): boolean {
    return this.#textBytes >= TEXT_BYTES_PER_SLICE || this.#work >= IMAGES_PER_SLICE;
  }

  /** Bytes of the text file that is being written. */
  get openBytes(): number {
    return this.#open?.sizeBytes ?? 0;
  }

  get isClosed(): boolean {
    return this.#open === null;
  }

  /** Adds a file of the bucket. @param work how many images it counts as, if its bytes were read */
  add(file: ExportedFile, work = 1): void {
    this.#files.push(file);
    this.#work += work;
  }

  /** Begins a text file. Later slices may continue it. */
  begin(name: string): void {
    this.#open = { name, sizeBytes: 0, crc32: 0, pieces: [] };
  }

  /** Continues the text file. */
  write(text: string): void {
    if (this.#open === null || text === "") return;
    const bytes = encoder.encode(text);
    const { sizeBytes, pieces } = this.#open;
    const last = pieces.at(-1);
    if (last?.[0] === this.#key && last[2] + last[3] === this.#textBytes) last[3] += bytes.length;
    else pieces.push([this.#key, 0, this.#textBytes, bytes.length]);
    this.#open = { ...this.#open, sizeBytes: sizeBytes + bytes.length, crc32: crc32(bytes, this.#open.crc32) };
    this.#text.push(bytes);
    this.#textBytes += bytes.length;
  }

  /** Ends the text file. */
  end(): void {
    if (this.#open === null) return;
    const { pieces, ...file } = this.#open;
    this.#files.push({
      ...file,
      modifiedAt: this.row.createdAt,
      pieces: pieces.map(([key, objectBytes, offset, length]) => ({ key, objectBytes, offset, length })),
      list: "",
    });
    this.#open = null;
  }

  /** Adds a text file of one slice. */
  text(name: string, text: string): void {
    this.begin(name);
    this.write(text);
    this.end();
  }

  /** Writes an object that is no member of the ZIP. @returns its key */
  async keep(bytes: Uint8Array): Promise<string> {
    const key = `${this.#key}-kept`;
    await this.#store([[key, bytes]]);
    return key;
  }

  /** Writes the objects, and adds the page of the manifest to the change of the slice. @returns the next state */
  async finish(change: Change, next: Pick<PreparationState, "place"> & Partial<PreparationState>) {
    const state: PreparationState = { ...this.state, ...next, open: this.#open };
    const size = this.#textBytes;
    // The bytes of the object are known now.
    for (const file of this.#files)
      file.pieces = file.pieces.map((piece) => (piece.key === this.#key ? { ...piece, objectBytes: size } : piece));
    for (const piece of state.open?.pieces ?? []) if (piece[0] === this.#key) piece[1] = size;
    const objects: [string, Uint8Array][] = size === 0 ? [] : [[this.#key, await bytesOf(this.#text)]];
    if (this.#files.length === 0) {
      await this.#store(objects);
      return state;
    }
    const bytes = writePage(this.#files);
    const objectKey = `${this.#key}-page`;
    await this.#store([...objects, [objectKey, bytes]]);
    const sizes = measurePage(this.#files, state.offset);
    change.add(
      this.context.workspace
        .insert(workspaceExportPages)
        .values({ exportId: this.row.id, page: state.pages, objectKey, objectBytes: bytes.length, ...sizes }),
    );
    const files = this.#files.filter(({ list }) => list !== "").length;
    return { ...state, pages: state.pages + 1, offset: state.offset + sizes.contentBytes, files: state.files + files };
  }

  /** Registers objects, so that the purge deletes them after the life of the export, and writes them. */
  async #store(objects: readonly [key: string, bytes: Uint8Array][]): Promise<void> {
    if (objects.length === 0) return;
    const { context, row } = this;
    const change = beginChange(context, row.tenantId);
    const rows = objects.map(([key]) => ({ key, tenantId: row.tenantId, chargedBytes: 0 }));
    const until = row.createdAt + MAX_PREPARATION_MS + WORKSPACE_EXPORT_LIFETIME_MS + EXPORT_OBJECTS_GRACE_MS;
    registerPendingObjects(context, change, rows, until - context.now);
    await change.commit();
    for (const [key, bytes] of objects)
      await context.objects.write(key, bytes, { contentType: "application/octet-stream", sizeBytes: bytes.length });
    // A removal of the workspace may have deleted the rows before the objects were written: nobody would find them again.
    const keys = objects.map(([key]) => key);
    const found = await context.workspace
      .select({ key: storedObjects.key })
      .from(storedObjects)
      .where(inSet(storedObjects.key, keys));
    if (found.length === keys.length) return;
    await context.objects.remove(keys);
    throw new JobFailure("files-removed", "Files of the preparation were removed. Start a new export.");
  }
}

const bytesOf = async (chunks: readonly Uint8Array[]): Promise<Uint8Array> =>
  new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
