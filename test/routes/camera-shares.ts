import { showBrand } from "../support/branding";
import { call } from "../support/call";
import { mintCamera, mintImage } from "../support/cameras";
import { mintLocation } from "../support/factories";
import { mintShare, withShare } from "../support/shares";
import type { Built, RouteRow } from "./row";
import { named, type World } from "./world";

/** A location with a camera, and the body that creates a link to it. */
async function mintShared({ tenant, organizationId }: World) {
  const { id: locationId } = await mintLocation(tenant, named);
  const camera = await mintCamera(organizationId, locationId, named);
  return { locationId, camera };
}

async function onShare(world: World, body: Record<string, unknown>): Promise<Built> {
  const { locationId, camera } = await mintShared(world);
  const { id } = await mintShare(world.organizationId, locationId, [camera.id], named);
  return { params: { id }, body: { baseRevision: 1, ...body } };
}

/** The request of a person without an account: a new link, and an image that it shows. */
async function asShare(world: World): Promise<Built & { cameraId: string; captureId: string }> {
  const { locationId, camera } = await mintShared(world);
  const capture = await mintImage(camera, locationId);
  const { token } = await mintShare(world.organizationId, locationId, [camera.id], named);
  return { headers: withShare(token), cameraId: camera.id, captureId: capture.id };
}

async function onSharedCamera(world: World): Promise<Built> {
  const { headers = {}, cameraId } = await asShare(world);
  return { headers, params: { cameraId } };
}

/** The stylesheet of the viewer, whose name changes with its content. */
async function stylesheet(): Promise<string> {
  const page = await (await call("GET", "/s")).text();
  return /s\/files\/([\w-]+\.css)/.exec(page)?.[1] ?? "";
}

export const cameraShareRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/spatial/locations/:locationId/camera-shares",
    who: { needs: { LocationCameras: "Read" } },
    request: async (world) => ({ params: { locationId: (await mintShared(world)).locationId } }),
    status: 200,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/camera-shares",
    who: {
      needs: {
        ExternalShareLinksCreate: "Read",
        ClusterView: "Read",
        LocationView: "Read",
        LocationCameras: "Read",
      },
    },
    request: async (world) => {
      const { locationId, camera } = await mintShared(world);
      return { params: { locationId }, body: { name: "Neighbours", cameraIds: [camera.id] } };
    },
    status: 201,
    audited: ["camera-share.created"],
  },
  {
    route: "PATCH /v1/camera-shares/:id",
    who: { needs: { ExternalShareLinksManage: "Read" } },
    request: (world) => onShare(world, { name: "Another" }),
    status: 200,
    audited: ["camera-share.updated"],
  },
  {
    route: "POST /v1/camera-shares/:id/revoke",
    who: { needs: { ExternalShareLinksManage: "Read" } },
    request: (world) => onShare(world, {}),
    status: 200,
    audited: ["camera-share.revoked"],
  },
  {
    route: "GET /v1/shared-cameras",
    who: "share",
    request: async (world) => ({ headers: (await asShare(world)).headers ?? {} }),
    status: 200,
  },
  {
    route: "GET /v1/shared-cameras/logo",
    who: "share",
    request: async (world) => {
      await showBrand(world.owner.token, world.organizationId);
      return { headers: (await asShare(world)).headers ?? {} };
    },
    status: 200,
    notJson: true,
  },
  {
    route: "POST /v1/shared-cameras/latest-previews",
    changesNone: true,
    answersAnew: true,
    who: "share",
    request: async (world) => {
      const { headers = {}, cameraId } = await asShare(world);
      return { headers, body: { cameraIds: [cameraId] } };
    },
    status: 200,
  },
  {
    route: "POST /v1/shared-cameras/unlock",
    changesNone: true,
    who: "share",
    request: async (world) => ({ headers: (await asShare(world)).headers ?? {}, body: { passcode: "harbour 7" } }),
    status: 200,
    answersAnew: true,
  },
  {
    route: "GET /v1/shared-cameras/captures/:captureId/image",
    who: "share",
    request: async (world) => {
      const { headers = {}, captureId } = await asShare(world);
      return { headers, params: { captureId } };
    },
    status: 200,
    notJson: true,
  },
  {
    route: "GET /v1/shared-cameras/:cameraId/timeline",
    who: "share",
    request: onSharedCamera,
    status: 200,
  },
  {
    route: "GET /v1/shared-cameras/:cameraId/captures/times",
    who: "share",
    request: onSharedCamera,
    status: 200,
  },
  {
    route: "GET /v1/shared-cameras/:cameraId/captures/seek",
    who: "share",
    request: async (world) => ({ ...(await onSharedCamera(world)), query: "at=2026-01-01T00:00:00Z" }),
    status: 200,
  },
  {
    route: "POST /v1/shared-cameras/:cameraId/previews",
    changesNone: true,
    answersAnew: true,
    who: "share",
    request: async (world) => ({ ...(await onSharedCamera(world)), body: { times: ["2026-01-01T00:00:00Z"] } }),
    status: 200,
  },
  {
    route: "GET /v1/shared-cameras/:cameraId/frames",
    who: "share",
    request: async (world) => ({ ...(await onSharedCamera(world)), query: "count=10" }),
    status: 200,
  },
  { route: "GET /s", who: "anyone", request: () => ({}), status: 200, notJson: true },
  {
    route: "GET /s/files/:file{[\\w.-]+\\.(?:css|js)}",
    who: "anyone",
    request: async () => ({ params: { file: await stylesheet() } }),
    status: 200,
    notJson: true,
  },
];
