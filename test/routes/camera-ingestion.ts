import { cameraFrames } from "../../src/cameras/tables";
import { mintCamera, mintCaptures, mintCredential } from "../support/cameras";
import { announce, type Device, factsOf, image, ofFrame, transfer, verifyNow, viewOf, words } from "../support/device";
import { mintLocation } from "../support/factories";
import { testDatabase } from "../support/statements";
import type { Built, RouteRow } from "./row";
import { named, type World } from "./world";

/** A new camera for each row, so that rows do not share rate limits. */
async function mintHere(world: World): Promise<Device> {
  const { organizationId, owner } = world;
  const { id: locationId } = await mintLocation(world.tenant, named);
  const camera = await mintCamera(organizationId, locationId, named);
  const { token } = await mintCredential(camera.id);
  return { organizationId, owner, locationId, camera, token };
}

async function onOperation(world: World): Promise<Built> {
  const device = await mintHere(world);
  const { operationId } = await viewOf(await announce(device, await factsOf(image())));
  return { params: { operationId }, token: device.token };
}

const onCamera = async (world: World): Promise<Built> => ({ params: { cameraId: (await mintHere(world)).camera.id } });

async function onRejected(world: World): Promise<Built> {
  const device = await mintHere(world);
  const { operationId } = await transfer(device, words("no image"));
  await verifyNow(operationId);
  return { params: { cameraId: device.camera.id, operationId }, headers: { accept: "application/json" } };
}

async function onUnfinished(world: World): Promise<Built> {
  const device = await mintHere(world);
  const { operationId } = await viewOf(await announce(device, await factsOf(image())));
  return { params: { cameraId: device.camera.id, operationId } };
}

async function onHeld(world: World): Promise<Built> {
  const device = await mintHere(world);
  const { operationId } = await transfer(device);
  await testDatabase().update(cameraFrames).set({ status: "verifying", heldAt: 1 }).where(ofFrame(operationId));
  return { params: { cameraId: device.camera.id, operationId } };
}

const beat = {
  appliedRevision: 1,
  lastCaptureAtUtc: null,
  queueCount: 0,
  queueBytes: 0,
  freeBytes: 1,
  oldestPendingAtUtc: null,
};

export const cameraIngestionRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/camera-ingestion/configuration",
    who: "device",
    request: async (world) => ({ token: (await mintHere(world)).token }),
    status: 200,
  },
  {
    route: "POST /v1/camera-ingestion/heartbeat",
    who: "device",
    request: async (world) => ({ token: (await mintHere(world)).token, body: beat }),
    status: 200,
  },
  {
    route: "POST /v1/camera-ingestion/uploads",
    who: "device",
    request: async (world) => ({ token: (await mintHere(world)).token, body: { ...(await factsOf(image())) } }),
    status: 201,
  },
  {
    route: "GET /v1/camera-ingestion/uploads",
    who: "device",
    request: async (world) => ({ token: (await mintHere(world)).token }),
    status: 200,
  },
  { route: "GET /v1/camera-ingestion/uploads/:operationId", who: "device", request: onOperation, status: 200 },
  {
    route: "DELETE /v1/camera-ingestion/uploads/:operationId",
    who: "device",
    request: onOperation,
    status: 200,
    audited: [],
  },
  {
    route: "POST /v1/camera-ingestion/uploads/:operationId/upload-url",
    changesNone: true,
    answersAnew: true,
    who: "device",
    request: onOperation,
    status: 200,
  },
  {
    route: "POST /v1/camera-ingestion/uploads/:operationId/complete",
    answersAnew: true,
    who: "device",
    request: onOperation,
    status: 202,
  },
  {
    route: "DELETE /v1/camera-captures/:captureId",
    who: { needs: { LocationCameras: "Write" } },
    request: async (world) => {
      const { camera, locationId } = await mintHere(world);
      const [captureId = ""] = await mintCaptures(camera, locationId, [{}]);
      return { params: { captureId } };
    },
    status: 204,
    audited: ["capture.deleted"],
  },
  {
    route: "GET /v1/cameras/:cameraId/uploads",
    who: { needs: { LocationCameras: "Write" } },
    request: onCamera,
    status: 200,
    list: true,
  },
  {
    route: "DELETE /v1/cameras/:cameraId/uploads/:operationId",
    who: { needs: { LocationCameras: "Write" } },
    request: onUnfinished,
    status: 204,
    audited: ["capture.cancelled"],
  },
  {
    route: "GET /v1/cameras/:cameraId/rejected-captures",
    who: { needs: { LocationCameras: "Write" } },
    request: onCamera,
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/cameras/:cameraId/rejected-captures/:operationId/download",
    who: { needs: { LocationCameras: "Write" } },
    request: onRejected,
    status: 200,
  },
  {
    route: "GET /v1/cameras/:cameraId/held-captures",
    who: { needs: { LocationCameras: "Write" } },
    request: onCamera,
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/cameras/:cameraId/held-captures/:operationId/retry",
    who: { needs: { LocationCameras: "Write" } },
    request: onHeld,
    status: 202,
    audited: ["capture.retried"],
  },
];
