import { z } from "zod";
import { call, expectJson } from "./call";
import { announce, type FileToUpload, putBytes } from "./documents";

export const assetPath = (organizationId: string, slot: string): string =>
  `/v1/orgs/${organizationId}/branding/assets/${slot}`;

const started = z.object({
  uploadId: z.uuid(),
  uploadUrl: z.url(),
  requiredHeaders: z.record(z.string(), z.string()),
});

/** Starts the upload of a logo or banner and sends its bytes. */
export async function sendAsset(token: string, organizationId: string, slot: string, file: FileToUpload) {
  const path = `${assetPath(organizationId, slot)}/upload-start`;
  const upload = await expectJson(started, 201, "POST", path, { token, body: await announce(file) });
  const put = await putBytes(upload, file.bytes);
  if (put.status !== 200) throw new Error(`PUT answered ${put.status}: ${await put.text()}`);
  return upload.uploadId;
}

export const completeAsset = (token: string, organizationId: string, slot: string, uploadId: string) =>
  call("POST", `${assetPath(organizationId, slot)}/upload-complete`, { token, body: { uploadId } });

/** Uploads a logo or banner in all three steps. */
export async function uploadAsset(token: string, organizationId: string, slot: string, file: FileToUpload) {
  return completeAsset(token, organizationId, slot, await sendAsset(token, organizationId, slot, file));
}

/** Shows the organization's brand on its share links, with a logo. */
export async function showBrand(token: string, organizationId: string): Promise<void> {
  const body = { shownOnShareLinks: true };
  await expectJson(z.unknown(), 200, "PUT", `/v1/orgs/${organizationId}/branding`, { token, body });
  const logo = await uploadAsset(token, organizationId, "logo", {
    fileName: "mark.svg",
    bytes: MARK,
    contentType: "image/svg+xml",
  });
  if (logo.status !== 200) throw new Error(`the logo was answered with ${logo.status}: ${await logo.text()}`);
}

export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200" viewBox="0 0 40 20"><rect width="20" height="20" fill="#d00"/></svg>`;
