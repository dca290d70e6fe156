import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { codeOf } from "../files";
import { freeImages } from "../memory";
import type { SourceSettings } from "../settings";
import { MAX_SOURCE_BYTES, type Shot, type Source, SourceFailure } from "./source";

/** An id that follows from the file, so that a file that was stored and not yet removed is not sent twice. */
function stableId(...facts: (string | number)[]): string {
  const hex = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** @throws SourceFailure when the gateway has no access to the folder. */
function changing<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const advice = "Let the gateway's user read and write the folder and its files.";
    throw new SourceFailure("folder-unreadable", `${file} cannot be taken (${codeOf(thrown)}). ${advice}`);
  }
}

/** Levels of folders inside a watched folder. */
const MAX_DEPTH = 8;

/** The paths of images in a folder, relative to it. `depth` is the number of levels of folders inside it that count. */
function namesOfImages(path: string, depth: number, below = ""): string[] {
  const names: string[] = [];
  for (const entry of readdirSync(join(path, below), { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const name = join(below, entry.name);
    if (!entry.isDirectory()) {
      if (/\.jpe?g$/i.test(entry.name)) names.push(name);
    } else if (depth > 0)
      try {
        names.push(...namesOfImages(path, depth - 1, name));
      } catch (thrown) {
        // Another program can remove a folder at any time, and may keep one for itself.
        if (!["ENOENT", "EACCES", "EPERM"].includes(codeOf(thrown) ?? "")) throw thrown;
      }
  }
  return names;
}

/** The number of images in folders inside a watched one. @throws Error when a folder cannot be read */
export const imagesBelow = (path: string): number =>
  namesOfImages(path, MAX_DEPTH).filter((name) => name.includes(sep)).length;

/** Images that another program puts into a folder, such as an FTP server for a camera. Each file is removed when its image is stored. */
export function openFolder(settings: Extract<SourceSettings, { type: "folder" }>): Source {
  const { path, settleSeconds, subfolders } = settings;
  /** Size and time of files at the last check, and the time since which they have not changed. */
  let seen = new Map<string, { mark: string; since: number }>();
  return {
    pace: "arrival",
    async *take(): AsyncGenerator<Shot> {
      let names: string[];
      try {
        names = namesOfImages(path, subfolders ? MAX_DEPTH : 0);
      } catch (thrown) {
        throw new SourceFailure("folder-unreadable", `${path} cannot be read (${codeOf(thrown)}).`);
      }
      const now = performance.now();
      const before = seen;
      seen = new Map();
      const settled: { name: string; mtimeMs: number; size: number; ino: number }[] = [];
      for (const name of names) {
        const stat = statSync(join(path, name), { throwIfNoEntry: false });
        if (stat === undefined || !stat.isFile()) continue;
        const mark = `${stat.size}:${stat.mtimeMs}`;
        const known = before.get(name);
        const since = known?.mark === mark ? known.since : now;
        seen.set(name, { mark, since });
        if (now - since >= settleSeconds * 1_000)
          settled.push({ name, mtimeMs: stat.mtimeMs, size: stat.size, ino: stat.ino });
      }
      settled.sort((a, b) => a.mtimeMs - b.mtimeMs);
      for (const { name, mtimeMs, size, ino } of settled) {
        const file = join(path, name);
        // The other program may write a new image under the same name at any time.
        const isSame = () => {
          const stat = statSync(file, { throwIfNoEntry: false });
          return stat !== undefined && stat.mtimeMs === mtimeMs && stat.size === size && stat.ino === ino;
        };
        if (!isSame()) continue;
        // The consumer has finished with the previous image.
        freeImages();
        const bytes = size > MAX_SOURCE_BYTES ? Buffer.alloc(0) : changing(file, () => readFileSync(file));
        if (!isSame()) continue;
        const digest = createHash("sha256").update(bytes).digest("hex");
        yield {
          bytes,
          ...(size > MAX_SOURCE_BYTES && { tooLarge: size }),
          ageMs: Math.max(0, Date.now() - mtimeMs),
          captureId: stableId(name, mtimeMs, digest),
          kept: () => changing(file, () => isSame() && rmSync(file, { force: true })),
          refused: () => changing(file, () => isSame() && renameSync(file, `${file}.refused`)),
        };
      }
      if (settled.length > 0) freeImages();
    },
  };
}
