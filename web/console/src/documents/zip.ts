import { signal } from "@preact/signals";
import { DOCUMENTS } from "#texts/documents.ts";
import { sizeOf } from "#texts/language.ts";
import { type Document, dataOf, eachItem } from "../../../../client/src/index.ts";
import { savableName } from "../../../../src/platform/file-names.ts";
import {
  centralHeader,
  endRecords,
  localHeader,
  localHeaderSize,
  type ZipMember,
} from "../../../../src/platform/zip/records.ts";
import { Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { linkTo } from "./actions.ts";
import type { At, Selection } from "./selection.ts";
import { namesIn } from "./zip-names.ts";

/*
 * The browser fetches the documents and writes the ZIP. Each document has its own link, so the access counts when it is
 * fetched. The browser keeps large parts on its disk.
 */

/** Documents of one ZIP, and their bytes together. */
const MAX_ZIP_DOCUMENTS = 1_000;
const MAX_ZIP_BYTES = 2 * 1024 ** 3;
/** Documents of one request. */
const PAGE_SIZE = 100;

/** The ZIP that is being made: documents that are fetched, and all. */
export const zipping = signal<{ done: number; total: number; stop: () => void } | null>(null);

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});

async function crcOf(blob: Blob): Promise<number> {
  let crc = 0xffff_ffff;
  const reader = blob.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return ~crc >>> 0;
    for (const byte of value) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  }
}

/** Fetches the documents one after another, and writes the ZIP. @throws TypeError, ProblemError, Refusal */
async function makeZip(documents: readonly Document[], names: readonly string[], stop: AbortController): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const [n, document] of documents.entries()) {
    zipping.value = { done: n, total: documents.length, stop: () => stop.abort() };
    const answer = await fetch(await linkTo(document.id), { signal: stop.signal });
    const blob = await answer.blob();
    if (!answer.ok) throw new Refusal(DOCUMENTS.zipLost(document.fileName));
    const member: ZipMember = {
      name: names[n] ?? document.fileName,
      sizeBytes: blob.size,
      crc32: await crcOf(blob),
      modifiedAt: Date.parse(document.updatedAtUtc),
    };
    stop.signal.throwIfAborted();
    parts.push(localHeader(member), blob);
    directory.push(centralHeader(member, offset));
    offset += localHeaderSize(member) + blob.size;
  }
  const bytes = directory.reduce((sum, { length }) => sum + length, 0);
  const end = endRecords({ members: documents.length, offset, sizeBytes: bytes });
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** Gives a file to the person. */
function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken the file when the click returns, and reads it for some time.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Downloads documents as one ZIP. @param folder the folder that is shown, whose path the names leave out */
async function downloadZip(documents: readonly Document[], folder: string): Promise<void> {
  const bytes = documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const stop = new AbortController();
  try {
    if (zipping.peek() !== null) throw new Refusal(DOCUMENTS.zipRuns);
    if (documents.length > MAX_ZIP_DOCUMENTS || bytes > MAX_ZIP_BYTES)
      throw new Refusal(DOCUMENTS.zipTooLarge(MAX_ZIP_DOCUMENTS, sizeOf(MAX_ZIP_BYTES)));
    const blob = await makeZip(documents, namesIn(documents, folder), stop).finally(() => {
      zipping.value = null;
    });
    const name = folder.slice(folder.lastIndexOf("/") + 1);
    save(blob, `${savableName(name) || DOCUMENTS.title}.zip`);
    say(DOCUMENTS.zipped(documents.length));
  } catch (thrown) {
    if (!stop.signal.aborted) sayFailed(DOCUMENTS.zipFailed, thrown);
  }
}

/** Downloads the selected documents as one ZIP. Those on pages that were not read are read first. */
export async function downloadSelected({ locationId, folder }: At, { documents, ids }: Selection): Promise<void> {
  const found = [...documents];
  try {
    if (ids.length > MAX_ZIP_DOCUMENTS)
      throw new Refusal(DOCUMENTS.zipTooLarge(MAX_ZIP_DOCUMENTS, sizeOf(MAX_ZIP_BYTES)));
    const rest = ids.slice(documents.length);
    for (let at = 0; at < rest.length; at += PAGE_SIZE) {
      const query = { limit: PAGE_SIZE, ids: rest.slice(at, at + PAGE_SIZE).join(",") };
      const params = { path: { locationId }, query };
      found.push(...(await dataOf(api.GET("/v1/spatial/locations/{locationId}/documents", { params }))).items);
    }
  } catch (thrown) {
    return sayFailed(DOCUMENTS.zipFailed, thrown);
  }
  await downloadZip(found, folder);
}

/** Downloads all documents of a folder and below it as one ZIP. */
export async function downloadFolder(locationId: string, folder: string): Promise<void> {
  const found: Document[] = [];
  try {
    const pages = eachItem((cursor) =>
      dataOf(
        api.GET("/v1/spatial/locations/{locationId}/documents", {
          params: { path: { locationId }, query: { path: folder, limit: PAGE_SIZE, cursor } },
        }),
      ),
    );
    for await (const one of pages) {
      found.push(one);
      if (found.length > MAX_ZIP_DOCUMENTS) break;
    }
  } catch (thrown) {
    return sayFailed(DOCUMENTS.zipFailed, thrown);
  }
  await downloadZip(found, folder);
}
