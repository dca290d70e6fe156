import { randomHex } from "../../src/platform/crypto/bytes";
import { newId } from "../../src/platform/ids";
import { mintCamera } from "../support/cameras";
import { mintLocation } from "../support/factories";
import { requestCode } from "../support/pairing";
import type { RouteRow } from "./row";
import { named, SECRET, type World } from "./world";

/** A camera of the world's organization, and its location. */
async function standing({ organizationId, tenant }: World) {
  const { id: locationId } = await mintLocation(tenant, named);
  return { locationId, camera: await mintCamera(organizationId, locationId, named) };
}

const onCamera = async (world: World) => ({ params: { cameraId: (await standing(world)).camera.id } });
const write = { needs: { LocationCameras: "Write" } } as const;
const read = { needs: { LocationCameras: "Read" } } as const;

export const cameraManagementRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/spatial/locations/:locationId/cameras",
    who: read,
    request: async (world) => ({ params: { locationId: (await standing(world)).locationId } }),
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/cameras",
    who: write,
    request: async (world) => ({
      params: { locationId: (await mintLocation(world.tenant, named)).id },
      body: { name: `Camera ${SECRET}` },
    }),
    status: 201,
    audited: ["camera.created"],
  },
  { route: "GET /v1/cameras", who: "user", request: () => ({}), status: 200, list: true },
  { route: "GET /v1/cameras/:cameraId", who: read, request: onCamera, status: 200 },
  {
    route: "PATCH /v1/cameras/:cameraId",
    who: write,
    request: async (world) => ({ ...(await onCamera(world)), body: { baseRevision: 1, isPaused: true } }),
    status: 200,
    audited: ["camera.updated"],
  },
  {
    route: "POST /v1/cameras/:cameraId/revoke",
    who: write,
    request: onCamera,
    status: 200,
    audited: ["camera.revoked"],
  },
  {
    route: "POST /v1/cameras/:cameraId/retire",
    who: write,
    request: onCamera,
    status: 200,
    audited: ["camera.retired"],
  },
  {
    route: "POST /v1/cameras/:cameraId/relinks",
    who: write,
    request: async (world) => {
      const { id: locationId } = await mintLocation(world.tenant, named);
      return { ...(await onCamera(world)), body: { baseRevision: 1, locationId }, places: [locationId] };
    },
    status: 200,
    audited: ["camera.relinked"],
  },
  {
    route: "POST /v1/cameras/:cameraId/enrollments",
    who: write,
    request: onCamera,
    status: 201,
    audited: ["camera.enrollment-created"],
  },
  {
    route: "POST /v1/camera-ingestion/enrollments/redeem",
    who: "anyone",
    request: async (world) => ({
      body: {
        pairingCode: await requestCode(world.owner.token, (await standing(world)).camera.id),
        credentialSecret: randomHex(32),
        redemptionId: newId(),
      },
    }),
    status: 200,
    audited: ["camera.paired"],
  },
  {
    route: "GET /v1/orgs/:organizationId/camera-cleanups",
    who: "organization-admin",
    request: ({ organizationId }) => ({ params: { organizationId } }),
    status: 200,
    list: true,
  },
];
