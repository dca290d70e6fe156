import { env, exports } from "cloudflare:workers";
import { z } from "zod";
import { documentSchema } from "../../src/documents/document";
import { sha256Hex } from "../../src/platform/crypto/bytes";
import { call, expectJson } from "./call";

export const startedUpload = z.object({
  uploadId: z.uuid(),
  documentId: z.uuid(),
  version: z.int(),
  uploadUrl: z.url(),
  requiredHeaders: z.record(z.string(), z.string()),
  expiresAtUtc: z.string(),
});
export type StartedUpload = z.infer<typeof startedUpload>;

export interface FileToUpload {
  fileName: string;
  bytes: Uint8Array<ArrayBuffer> | string;
  path?: string;
  contentType?: string;
}

export const bytesOf = (file: Pick<FileToUpload, "bytes">): Uint8Array<ArrayBuffer> =>
  typeof file.bytes === "string" ? Uint8Array.from(new TextEncoder().encode(file.bytes)) : file.bytes;

/** The body of upload-start for a file. */
export async function announce({ fileName, path, contentType = "text/plain", ...file }: FileToUpload) {
  const bytes = bytesOf(file);
  const where = path === undefined ? {} : { path };
  return { ...where, fileName, contentType, sizeBytes: bytes.byteLength, checksumSha256: await sha256Hex(bytes) };
}

/** The status and problem code of upload-start, or the upload that it started. */
export const startUpload = async (token: string, locationId: string, file: FileToUpload): Promise<StartedUpload> =>
  expectJson(startedUpload, 201, "POST", `/v1/spatial/locations/${locationId}/documents/upload-start`, {
    token,
    body: await announce(file),
  });

/** Sends bytes like a client: with PUT to the signed address, with the required headers and the length. */
export function putBytes(
  { uploadUrl, requiredHeaders }: Pick<StartedUpload, "uploadUrl" | "requiredHeaders">,
  bytes: Uint8Array<ArrayBuffer> | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = bytesOf({ bytes });
  const all = { ...requiredHeaders, "content-length": String(body.byteLength), ...headers };
  return exports.default.fetch(new Request(uploadUrl, { method: "PUT", headers: all, body }));
}

export const completeUpload = (token: string, locationId: string, uploadId: string): Promise<Response> =>
  call("POST", `/v1/spatial/locations/${locationId}/documents/upload-complete`, { token, body: { uploadId } });

/** Uploads a file through the API in all three steps. */
export async function uploadDocument(token: string, locationId: string, file: FileToUpload) {
  const started = await startUpload(token, locationId, file);
  const put = await putBytes(started, file.bytes);
  if (put.status !== 200) throw new Error(`PUT answered ${put.status}: ${await put.text()}`);
  const response = await completeUpload(token, locationId, started.uploadId);
  if (response.status !== 200) throw new Error(`complete answered ${response.status}: ${await response.text()}`);
  return documentSchema.parse(await response.json());
}

export const uploadState = z.object({
  uploadId: z.uuid(),
  documentId: z.uuid(),
  version: z.int(),
  status: z.string(),
  sizeBytes: z.int(),
  partSizeBytes: z.int().nullable(),
  partCount: z.int(),
  receivedParts: z.array(z.int()),
});

const uploadsOf = (locationId: string) => `/v1/spatial/locations/${locationId}/documents/uploads`;

/** Starts an upload in parts. `partBytes` makes its parts smaller than those of real uploads. */
export async function startInParts(token: string, locationId: string, file: FileToUpload, partBytes?: number) {
  const body = await announce(file);
  const started = await expectJson(uploadState, 201, "POST", uploadsOf(locationId), { token, body });
  if (partBytes === undefined) return started;
  await env.DB.prepare("UPDATE uploads SET part_bytes = ? WHERE id = ?").bind(partBytes, started.uploadId).run();
  return expectJson(uploadState, 200, "GET", `${uploadsOf(locationId)}/${started.uploadId}`, { token });
}

/** Sends a part like a client. `sent` are other bytes than the announced ones. */
export async function putPart(
  token: string,
  locationId: string,
  uploadId: string,
  number: number,
  bytes: Uint8Array<ArrayBuffer> | string,
  sent = bytes,
): Promise<Response> {
  const address = z.object({ uploadUrl: z.url(), requiredHeaders: z.record(z.string(), z.string()) });
  const part = { number, checksumSha256: await sha256Hex(bytesOf({ bytes })) };
  const path = `${uploadsOf(locationId)}/${uploadId}/parts`;
  const signed = z.object({ parts: z.array(address) });
  const { parts } = await expectJson(signed, 200, "POST", path, { token, body: { parts: [part] } });
  if (parts[0] === undefined) throw new Error("no address");
  return putBytes(parts[0], sent);
}
