import { createHash } from "node:crypto";

/** An unexpected answer. Its message has the request and the answer. */
export class UnexpectedAnswer extends Error {}

/**
 * A simple client of the API for one credential.
 * @param {string} url address of the service
 * @param {string} [token] bearer token
 */
export function openClient(url, token) {
  /**
   * Sends one request and returns its JSON. @throws UnexpectedAnswer for any other status than 2xx.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   * @returns {Promise<any>}
   */
  async function request(method, path, body, headers = {}) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new UnexpectedAnswer(`${method} ${path} answered ${response.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  /**
   * Reserves an upload and sends its bytes. `complete` then makes it a document.
   * @param {string} locationId
   * @param {{ path?: string, fileName: string, contentType: string, bytes: Uint8Array }} file
   * @returns {Promise<{ uploadId: string, documentId: string, complete: () => Promise<any> }>}
   */
  async function send(locationId, { path = "", fileName, contentType, bytes }) {
    const library = `/v1/spatial/locations/${locationId}/documents`;
    const checksumSha256 = createHash("sha256").update(bytes).digest("hex");
    const declared = { path, fileName, contentType, sizeBytes: bytes.byteLength, checksumSha256 };
    const { uploadId, documentId, uploadUrl, requiredHeaders } = await request(
      "POST",
      `${library}/upload-start`,
      declared,
    );
    const put = await fetch(uploadUrl, { method: "PUT", headers: requiredHeaders, body: bytes });
    if (!put.ok) throw new UnexpectedAnswer(`PUT of ${fileName} answered ${put.status}: ${await put.text()}`);
    const complete = () => request("POST", `${library}/upload-complete`, { uploadId });
    return { uploadId, documentId, complete };
  }

  /**
   * Uploads a logo or banner of an organization, with all three steps.
   * @param {string} organizationId
   * @param {"logo" | "banner"} slot
   * @param {{ fileName: string, contentType: string, bytes: Uint8Array }} file
   */
  async function sendAsset(organizationId, slot, { fileName, contentType, bytes }) {
    const path = `/v1/orgs/${organizationId}/branding/assets/${slot}`;
    const checksumSha256 = createHash("sha256").update(bytes).digest("hex");
    const declared = { fileName, contentType, sizeBytes: bytes.byteLength, checksumSha256 };
    const { uploadId, uploadUrl, requiredHeaders } = await request("POST", `${path}/upload-start`, declared);
    const put = await fetch(uploadUrl, { method: "PUT", headers: requiredHeaders, body: bytes });
    if (!put.ok) throw new UnexpectedAnswer(`PUT of ${fileName} answered ${put.status}: ${await put.text()}`);
    return request("POST", `${path}/upload-complete`, { uploadId });
  }

  return { request, send, sendAsset };
}
