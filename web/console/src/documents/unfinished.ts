import { signal } from "@preact/signals";
import { digestOf } from "../../../../client/src/digest.ts";
import { checksumOf } from "../platform/checksum.ts";
import { api, session } from "../platform/session.ts";
import { endUpload } from "./endings.ts";

/*
 * Uploads in parts that have not ended. The service has the parts that arrived, and this browser remembers of which file they
 * are: after a reload, the same file continues without another checksum of all its bytes.
 */

export interface Unfinished {
  userId: string;
  uploadId: string;
  locationId: string;
  path: string;
  fileName: string;
  sizeBytes: number;
  /** Of the file, milliseconds since the epoch. */
  lastModified: number;
  /** SHA-256 of the first bytes, and of all bytes. */
  head: string;
  checksum: string;
}

const KEY = "unfinished-uploads";
/** The most uploads that are remembered, and the first bytes of a file by which it is known again. */
const [MAX_REMEMBERED, HEAD_BYTES] = [50, 64 * 1024];

const isUnfinished = (value: unknown): value is Unfinished =>
  typeof value === "object" && value !== null && "uploadId" in value && "checksum" in value && "userId" in value;

function read(): Unfinished[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(all) ? all.filter(isUnfinished) : [];
  } catch {
    return [];
  }
}

/** The remembered uploads of all people of this browser. */
const all = signal<readonly Unfinished[]>(read());

function keep(next: readonly Unfinished[]): void {
  all.value = next.slice(-MAX_REMEMBERED);
  localStorage.setItem(KEY, JSON.stringify(all.value));
}

const userId = (): string => session.value?.user.id ?? "";

/** The unfinished uploads of this person to a location. */
export const unfinishedAt = (locationId: string): Unfinished[] =>
  all.value.filter((one) => one.userId === userId() && one.locationId === locationId);

const isOf = ({ sizeBytes, lastModified }: Unfinished, file: File): boolean =>
  sizeBytes === file.size && lastModified === file.lastModified;

const headOf = (file: File): Promise<string> => digestOf(file.slice(0, HEAD_BYTES));

/** Checksums of this tab, so that an upload that goes on does not compute it again. */
const computed = new WeakMap<File, string>();

/** SHA-256 of a file: of an earlier attempt, of an unfinished upload of the same file, or computed now. */
export async function checksumFor(file: File, stop: AbortSignal): Promise<string> {
  const checksum = computed.get(file) ?? (await rememberedChecksum(file)) ?? (await checksumOf(file, stop));
  computed.set(file, checksum);
  return checksum;
}

async function rememberedChecksum(file: File): Promise<string | undefined> {
  const same = all.peek().filter((one) => isOf(one, file));
  if (same.length === 0) return undefined;
  const head = await headOf(file);
  return same.find((one) => one.head === head)?.checksum;
}

/** Remembers an upload that has begun. */
export async function remember(
  file: File,
  upload: Pick<Unfinished, "uploadId" | "locationId" | "path" | "fileName" | "checksum">,
) {
  const { size: sizeBytes, lastModified } = file;
  const one = { ...upload, userId: userId(), sizeBytes, lastModified, head: await headOf(file) };
  keep([...all.peek().filter(({ uploadId }) => uploadId !== one.uploadId), one]);
}

/** Forgets an upload that has ended. */
export function forget(uploadId: string | undefined): void {
  if (all.peek().some((one) => one.uploadId === uploadId)) keep(all.peek().filter((one) => one.uploadId !== uploadId));
}

/** Ends an unfinished upload at the service, and forgets it. */
export function discard({ locationId, uploadId }: Unfinished): void {
  forget(uploadId);
  endUpload(locationId, uploadId);
}

/** The bytes of an unfinished upload that the service has. Null, and forgotten, if it has ended. */
export async function receivedBytes(
  { locationId, uploadId, sizeBytes }: Unfinished,
  stop: AbortSignal,
): Promise<number | null> {
  const { data, response } = await api.GET("/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}", {
    params: { path: { locationId, uploadId } },
    signal: stop,
  });
  if (data?.status === "pending") return Math.min(data.receivedParts.length * (data.partSizeBytes ?? 0), sizeBytes);
  if (data !== undefined || response.status === 404) forget(uploadId);
  return null;
}
