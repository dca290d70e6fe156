import { env } from "cloudflare:workers";
import { callerOf } from "../../src/access/authentication/authenticate";
import { captureKey, stagingKey } from "../../src/cameras/captures";
import * as cameras from "../../src/cameras/limits";
import { deleteCapture } from "../../src/cameras/retention/retention";
import { cameraFrames } from "../../src/cameras/tables";
import { HOUR, SECOND } from "../../src/platform/time";
import { call, codeOf } from "../support/call";
import { mintCamera, mintImage } from "../support/cameras";
import {
  announce,
  ask,
  cancel,
  complete,
  type Device,
  factsOf,
  frameRow,
  framesOf,
  image,
  mintDevice,
  objectBytes,
  ofFrame,
  passDue,
  put,
  transfer,
  type View,
  verifyNow,
  viewOf,
  words,
} from "../support/device";
import { mintPlace } from "../support/factories";
import { keepJobs, systemContext } from "../support/jobs";
import { pair, propose, redeem, requestCode } from "../support/pairing";
import { mintShare, withShare } from "../support/shares";
import { testDatabase } from "../support/statements";
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

/** Publishes an image whose verification was held once: an earlier try may have written objects. */
async function verifyAgain(operationId: string): Promise<void> {
  await testDatabase().update(cameraFrames).set({ heldAt: 1 }).where(ofFrame(operationId));
  await verifyNow(operationId);
}

/** A device that has sent the bytes of an image. */
async function transferred() {
  const device = await mintDevice();
  return { device, token: device.token, sent: await transfer(device) };
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
    ms: cameras.PAIRING_CODE_LIFETIME_MS + cameras.ENDED_CODE_RETENTION,
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
    limit: "OPERATION_LIFETIME_MS, in the list",
    ms: cameras.OPERATION_LIFETIME_MS,
    async begin() {
      const { token } = await transferred();
      return async () => {
        const list = await call("GET", "/v1/camera-ingestion/uploads", { token });
        return ((await list.json()) as { items: unknown[] }).items.length;
      };
    },
    before: 1,
    after: 0,
  },
  {
    limit: "OPERATION_LIFETIME_MS, when it is cancelled",
    ms: cameras.OPERATION_LIFETIME_MS,
    async begin() {
      const { device, sent } = await transferred();
      return async () => {
        await cancel(device);
        return (await frameRow(sent.operationId)).status;
      };
    },
    before: "cancelled",
    after: "expired",
  },
  {
    limit: "OPERATION_LIFETIME_MS, when its image is announced again",
    ms: cameras.OPERATION_LIFETIME_MS,
    async begin() {
      const { device, sent } = await transferred();
      return async () => (await announce(device, sent.facts)).status;
    },
    before: 200,
    after: 201,
  },
  {
    limit: "OPERATION_LIFETIME_MS, when it is completed",
    ms: cameras.OPERATION_LIFETIME_MS,
    async begin() {
      const { device, sent } = await transferred();
      return async () => (await complete(device, sent.operationId)).status;
    },
    before: 202,
    after: 410,
  },
  {
    limit: "ADMISSION_WINDOW_MS",
    ms: cameras.ADMISSION_WINDOW_MS,
    async begin() {
      const device = await mintDevice();
      const next = async () => announce(device, await factsOf(image()));
      for (let n = 0; n < cameras.ADMISSIONS_PER_MINUTE; n++) {
        await next();
        await cancel(device);
      }
      return async () => (await next()).status;
    },
    before: 429,
    after: 201,
  },
  {
    limit: "REJECTION_NOTICE_INTERVAL_MS",
    ms: cameras.REJECTION_NOTICE_INTERVAL_MS,
    async begin() {
      const device = await mintDevice();
      await keepJobs(device.organizationId);
      const reject = async () => verifyNow((await transfer(device, words("no image"))).operationId);
      await reject();
      return async () => {
        await reject();
        const told = "SELECT 1 FROM jobs WHERE tenant_id = ? AND payload LIKE '%capture-rejected%'";
        return (await env.DB.prepare(told).bind(device.organizationId).all()).results.length;
      };
    },
    before: 1,
    after: 2,
  },
  {
    limit: "ENDED_EXPORT_RETENTION",
    ms: cameras.ENDED_EXPORT_RETENTION,
    async begin() {
      const { camera, locationId, send } = await archive();
      const started = await send("POST", `/v1/cameras/${camera.id}/exports?locationId=${locationId}`);
      const { operationId } = (await started.json()) as { operationId: string };
      await env.DB.prepare("UPDATE camera_exports SET expires_at = ?2 WHERE id = ?1")
        .bind(operationId, Date.now())
        .run();
      return async () => {
        await runToEnd("expire-exports");
        return has("SELECT 1 FROM camera_exports WHERE id = ?", operationId);
      };
    },
    before: true,
    after: false,
  },
  ...(
    [
      ["cancelled", (device) => cancel(device)],
      ["rejected", (_, { operationId }) => verifyNow(operationId)],
      ["published after a repetition", (_, { operationId }) => verifyAgain(operationId)],
    ] as readonly [string, (device: Device, sent: View) => Promise<unknown>][]
  ).map(([state, end]) => ({
    limit: `LEFTOVER_GRACE_MS, ${state}`,
    ms: cameras.LEFTOVER_GRACE_MS,
    async begin() {
      const device = await mintDevice();
      const sent = await transfer(device, state === "rejected" ? words("no image") : image());
      await end(device, sent);
      // A transfer that began before the end writes its bytes after it.
      await env.BUCKET.put(stagingKey(sent), "late");
      return async () => {
        await runToEnd("clean-frames");
        return (await objectBytes(stagingKey(sent))) !== null;
      };
    },
    before: true,
    after: false,
  })),
  {
    limit: "LEFTOVER_GRACE_MS, deleted at once",
    ms: cameras.LEFTOVER_GRACE_MS,
    async begin() {
      const { owner, capture } = await archive();
      const context = systemContext();
      const caller = await callerOf(context, owner.token);
      await deleteCapture(
        { ...context, caller, settings: { ...context.settings, CAPTURE_RECOVERY_HOURS: 0 } },
        capture.id,
      );
      return async () => {
        await runToEnd("clean-frames");
        return (await objectBytes(captureKey(capture, "original"))) !== null;
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "CAPTURE_RECOVERY_HOURS",
    ms: systemContext().settings.CAPTURE_RECOVERY_HOURS * HOUR,
    async begin() {
      const { capture, send } = await archive();
      await send("DELETE", `/v1/camera-captures/${capture.id}`);
      return async () => {
        await runToEnd("clean-frames");
        return (await objectBytes(captureKey(capture, "original"))) !== null;
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "GIVEN_UP_AFTER_MS",
    ms: cameras.GIVEN_UP_AFTER_MS,
    async begin() {
      const { operationId } = await transfer(await mintDevice());
      // Its verification is lost.
      await testDatabase().update(cameraFrames).set({ status: "verifying" }).where(ofFrame(operationId));
      return async () => {
        await runToEnd("clean-frames");
        return (await frameRow(operationId)).status;
      };
    },
    before: "verifying",
    after: "expired",
  },
  {
    limit: "REVOKED_CREDENTIAL_RETENTION",
    ms: cameras.REVOKED_CREDENTIAL_RETENTION,
    async begin() {
      const { camera, owner, token } = await mintDevice();
      await env.DB.prepare("UPDATE camera_credentials SET revoked_at = ?2 WHERE camera_id = ?1")
        .bind(camera.id, Date.now())
        .run();
      return async () => {
        await pair(owner.token, camera.id);
        return codeOf(await call("GET", "/v1/camera-ingestion/configuration", { token }));
      };
    },
    before: "401 credential-revoked",
    after: "401 unauthenticated",
  },
  {
    limit: "REJECTED_URL_LIFETIME_MS",
    ms: cameras.REJECTED_URL_LIFETIME_MS,
    async begin() {
      const device = await mintDevice();
      const { operationId } = await transfer(device, words("no image"));
      await verifyNow(operationId);
      const path = `/v1/cameras/${device.camera.id}/rejected-captures/${operationId}/download`;
      return behind(await call("GET", path, device.owner));
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "TIMELINE_CACHE_LIFETIME_MS",
    ms: cameras.TIMELINE_CACHE_LIFETIME_MS,
    async begin() {
      const { camera, locationId, send } = await archive();
      const read = async () => {
        const answer = await send("GET", `/v1/cameras/${camera.id}/timeline?locationId=${locationId}`);
        return ((await answer.json()) as { first: { capturedAtUtc: string } }).first.capturedAtUtc;
      };
      const first = await read();
      await env.DB.prepare(
        "UPDATE camera_frames SET captured_at = captured_at - 1 WHERE place IN (SELECT place FROM camera_places WHERE camera_id = ?)",
      )
        .bind(camera.id)
        .run();
      return async () => (await read()) === first;
    },
    before: true,
    after: false,
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
        await runToEnd("expire-camera-shares");
        return has("SELECT 1 FROM camera_shares WHERE id = ?", id);
      };
    },
    before: true,
    after: false,
  })),
];
