import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";
import { Refusal } from "./refusal";

/** Ending of a file that is being written. */
export const PART = ".part";

export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;

/** Whether an error means that the disk is full. */
export const isFull = (thrown: unknown): boolean => ["ENOSPC", "EDQUOT"].includes(codeOf(thrown) ?? "");

/** Whether an error means that the file system is read-only, as after a fault of a card. */
export const isReadOnly = (thrown: unknown): boolean => codeOf(thrown) === "EROFS";

/** Whether a folder that exists can be changed. */
export function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Syncs a folder's entries. Without it, a power failure can undo a rename. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export const makeFolder = (folder: string): void => void mkdirSync(folder, { recursive: true, mode: 0o700 });

/** Writes a file atomically: after a power failure it is complete or absent. */
export function writeWhole(file: string, bytes: Uint8Array | string): void {
  const temporary = `${file}${PART}`;
  try {
    const handle = openSync(temporary, "w", 0o600);
    try {
      const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      for (let at = 0; at < data.length; ) at += writeSync(handle, data, at);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
  syncFolder(dirname(file));
}

/** The content of a JSON file, or null when there is no file. @throws Error when the content does not match the schema. */
export function readJson<T extends z.ZodType>(file: string, schema: T): z.infer<T> | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return null;
    throw thrown;
  }
  return schema.parse(JSON.parse(text));
}

/** @throws Refusal unless a file or folder belongs to this user and nobody else may read it. */
export function requirePrivate(path: string): void {
  const { mode, uid } = statSync(path);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new Refusal(`${path} belongs to another user. Run the gateway as its owner, or change the owner with chown.`);
  if ((mode & 0o077) !== 0) throw new Refusal(`${path} can be read by other users. Make it private: chmod go= ${path}`);
}
