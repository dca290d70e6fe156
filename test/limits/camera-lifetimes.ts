import { stagingKey } from "../../src/cameras/captures";
import * as cameras from "../../src/cameras/limits";
import { MINUTE, SECOND } from "../../src/platform/time";
import { call } from "../support/call";
import { mintCamera, mintImage } from "../support/cameras";
import {
  announce,
  ask,
  cancel,
  factsOf,
  framesOf,
  image,
  mintDevice,
  objectBytes,
  passDue,
  put,
  transfer,
  viewOf,
} from "../support/device";
import { mintPlace } from "../support/factories";
import { runThrough } from "../support/jobs";
import { propose, redeem, requestCode } from "../support/pairing";
import { mintShare, withShare } from "../support/shares";
import { runToEnd } from "../support/storage";
import { behind, has, type LifetimeRow } from "./lifetime";

/** A camera with an image, and requests of its owner. */
async function archive() {
  const { organizationId, owner, locationId } = await mintPlace();
  const camera = await mintCamera(organizationId, locationId);
  const capture = await mintImage(camera, locationId);
  const send = (method: string, path: string, body?: unknown) => call(method, path, { token: owner.token, body });
  return { organizationId, owner, locationId, camera, capture, send };
}

async function openLink(terms: Parameters<typeof mintShare>[3] = {}) {
  const { organizationId, locationId, camera, send } = await archive();
  return { ...(await mintShare(organizationId, locationId, [camera.id], terms)), locationId, camera, send };
}

export const cameraLifetimeRows: readonly LifetimeRow[] = [
  {
    limit: "PAIRING_CODE_LIFETIME_MS",
    ms: cameras.PAIRING_CODE_LIFETIME_MS,
    async begin() {
      const { owner, camera } = await archive();
      const proposal = propose(await requestCode(owner.token, camera.id));
      return async () => (await redeem(proposal)).status;
    },
    before: 200,
    after: 410,
  },
  {
    limit: "ENDED_CODE_RETENTION",
    ms: cameras.PAIRING_CODE_LIFETIME_MS + cameras.ENDED_CODE_RETENTION + 1,
    async begin() {
      const { owner, camera } = await archive();
      const proposal = propose(await requestCode(owner.token, camera.id));
      return async () => {
        await requestCode(owner.token, camera.id);
        return (await redeem(proposal)).status;
      };
    },
    before: 410,
    after: 404,
  },
  {
    limit: "CAPTURE_URL_LIFETIME_MS",
    ms: cameras.CAPTURE_URL_LIFETIME_MS,
    async begin() {
      const device = await mintDevice();
      const bytes = image();
      const begun = await viewOf(await announce(device, await factsOf(bytes)));
      return async () => (await put(begun, bytes)).status;
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "OPERATION_LIFETIME_MS",
    ms: cameras.OPERATION_LIFETIME_MS,
    async begin() {
      const device = await mintDevice();
      const { operationId } = await viewOf(await announce(device, await factsOf(image())));
      return async () => (await ask(device, operationId)).status;
    },
    before: "pending-transfer",
    after: "expired",
  },
  {
    limit: "LEFTOVER_GRACE_MS",
    ms: cameras.LEFTOVER_GRACE_MS,
    async begin() {
      const device = await mintDevice();
      const sent = await transfer(device);
      await cancel(device);
      return async () => {
        await runToEnd("clean-frames");
        return (await objectBytes(stagingKey(sent))) !== null;
      };
    },
    before: true,
    after: false,
    slack: MINUTE,
  },
  {
    limit: "ENDED_OPERATION_RETENTION",
    ms: cameras.ENDED_OPERATION_RETENTION,
    async begin() {
      const device = await mintDevice();
      const { operationId } = await transfer(device);
      await cancel(device);
      await passDue(operationId);
      return async () => {
        await runToEnd("clean-frames");
        return (await framesOf(device.camera)).length === 1;
      };
    },
    before: true,
    after: false,
    slack: MINUTE,
  },
  {
    limit: "IMAGE_ADDRESS_LIFETIME_MS",
    ms: cameras.IMAGE_ADDRESS_LIFETIME_MS,
    async begin() {
      const { capture, send } = await archive();
      return behind(await send("GET", `/v1/camera-captures/${capture.id}/download`));
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "SHARE_PASS_LIFETIME_MS",
    ms: cameras.SHARE_PASS_LIFETIME_MS,
    async begin() {
      const { organizationId, locationId, camera, send } = await archive();
      const { id, token } = await mintShare(organizationId, locationId, [camera.id]);
      await send("PATCH", `/v1/camera-shares/${id}`, { baseRevision: 1, passcode: "harbour 7" });
      const headers = withShare(token);
      const unlocked = await call("POST", "/v1/shared-cameras/unlock", { headers, body: { passcode: "harbour 7" } });
      const { pass } = (await unlocked.json()) as { pass: string };
      return async () =>
        (await call("GET", "/v1/shared-cameras", { headers: { ...headers, "x-camera-share-pass": pass } })).status;
    },
    before: 200,
    after: 401,
  },
  ...(["revokedAt", "expiresAt"] as const).map((end) => ({
    limit: "ENDED_LINK_RETENTION",
    ms: cameras.ENDED_LINK_RETENTION,
    async begin() {
      const { id } = await openLink({ [end]: Date.now() });
      return async () => {
        await runThrough("expire-camera-shares", [{}]);
        return has("SELECT 1 FROM camera_shares WHERE id = ?", id);
      };
    },
    before: true,
    after: false,
    slack: MINUTE,
  })),
];
