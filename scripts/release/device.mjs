import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { openClient } from "../seed/client.mjs";

const VERIFIED_TIMEOUT_MS = 60_000;

/** Pairs a camera. @returns the credential of its device */
export async function pairDevice(url, owner, cameraId) {
  const { pairingCode } = await owner.request("POST", `/v1/cameras/${cameraId}/enrollments`);
  const credentialSecret = randomBytes(32).toString("hex");
  const proposal = { pairingCode, credentialSecret, redemptionId: randomUUID() };
  const redeem = "/v1/camera-ingestion/enrollments/redeem";
  const { credentialId } = await openClient(url).request("POST", redeem, proposal);
  return `svccam1.${credentialId.replaceAll("-", "")}.${credentialSecret}`;
}

/** Sends an image as the device of a credential, and waits until it is in the archive. @returns its captureId */
export async function sendImage(url, credential, bytes) {
  const device = openClient(url, credential);
  const { assignmentGeneration } = await device.request("GET", "/v1/camera-ingestion/configuration");
  const captureId = randomUUID();
  const started = await device.request("POST", "/v1/camera-ingestion/uploads", {
    captureId,
    assignmentGeneration,
    capturedAtUtc: new Date().toISOString(),
    sizeBytes: bytes.byteLength,
    checksumSha256: createHash("sha256").update(bytes).digest("hex"),
    contentType: "image/jpeg",
    clockQuality: "synchronized",
  });
  const put = await fetch(started.uploadUrl, { method: "PUT", headers: started.requiredHeaders, body: bytes });
  if (!put.ok) throw new Error(`the image answered ${put.status}: ${await put.text()}`);
  await device.request("POST", `${started.statusUrl}/complete`);
  for (const deadline = Date.now() + VERIFIED_TIMEOUT_MS; ; await wait(200)) {
    const { status } = await device.request("GET", started.statusUrl);
    if (status === "completed") return captureId;
    if (Date.now() > deadline) throw new Error(`the image is ${status} after ${VERIFIED_TIMEOUT_MS / 1_000} s`);
  }
}
