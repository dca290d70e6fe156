import { z } from "zod";
import { documentSchema } from "../../src/documents/document";
import { bucketOf, callSeveral, expectSeveral, organizationIn, registerSeveral, runJobs } from "./databases";
import { announce, bytesOf, type FileToUpload, startedUpload } from "./documents";

/* Documents of the service with several databases and buckets. */

const made = z.object({ id: z.string() });

/** A person with an organization in a given database, and a location in it. */
export async function locationOf(place: string) {
  const { token } = await registerSeveral();
  const organizationId = await organizationIn(place, token);
  const cluster = { token, body: { organizationId, name: "Quay" } };
  const { id: clusterId } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", cluster);
  const location = { token, body: { clusterId, name: "Crane" } };
  const { id: locationId } = await expectSeveral(made, 201, "POST", "/v1/spatial/locations", location);
  await runJobs();
  return { token, organizationId, clusterId, locationId };
}

/** Sends bytes to a signed address of the service. */
export function putSeveral(
  { uploadUrl, requiredHeaders }: Pick<z.infer<typeof startedUpload>, "uploadUrl" | "requiredHeaders">,
  bytes: string,
): Promise<Response> {
  const headers = { ...requiredHeaders, "content-length": String(bytesOf({ bytes }).byteLength) };
  return callSeveral("PUT", uploadUrl, { body: bytes, headers });
}

/** Announces a file. */
export const startSeveral = async (token: string, locationId: string, file: FileToUpload) =>
  expectSeveral(startedUpload, 201, "POST", `/v1/spatial/locations/${locationId}/documents/upload-start`, {
    token,
    body: await announce(file),
  });

/** Uploads a file through the API. */
export async function uploadSeveral(token: string, locationId: string, file: FileToUpload & { bytes: string }) {
  const started = await startSeveral(token, locationId, file);
  const put = await putSeveral(started, file.bytes);
  if (put.status !== 200) throw new Error(`PUT answered ${put.status}: ${await put.text()}`);
  return completeSeveral(token, locationId, started.uploadId);
}

export const completeSeveral = (token: string, locationId: string, uploadId: string) =>
  expectSeveral(documentSchema, 200, "POST", `/v1/spatial/locations/${locationId}/documents/upload-complete`, {
    token,
    body: { uploadId },
  });

const link = z.object({ url: z.string() });

/** A signed address of the bytes of a document. */
export const addressOf = async (documentId: string, token: string): Promise<string> => {
  const options = { token, headers: { accept: "application/json" } };
  const answer = await callSeveral("GET", `/v1/documents/${documentId}/download`, options);
  return link.parse(await answer.json()).url;
};

/** The bytes of a document as its reader gets them. */
export const contentOf = async (documentId: string, token: string): Promise<string> =>
  (await callSeveral("GET", await addressOf(documentId, token))).text();

/** The keys under a prefix in the bucket of a database. */
export const keysIn = async (place: string, prefix: string): Promise<string[]> =>
  (await bucketOf(place).list({ prefix })).objects.map(({ key }) => key);
