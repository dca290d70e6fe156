import { exportSchema } from "../../src/cameras/exports/exports";
import { expectJson } from "../support/call";
import { mintCamera, mintCaptures, mintImage } from "../support/cameras";
import { mintLocation } from "../support/factories";
import { endedJobs } from "../support/jobs";
import type { Built, RouteRow } from "./row";
import { named, type World } from "./world";

const who = { needs: { LocationCameras: "Read" } } as const;

/** A camera with an image at a location that the query names. */
async function onArchive(world: World, query = ""): Promise<Built> {
  const { id: locationId } = await mintLocation(world.tenant, named);
  const camera = await mintCamera(world.organizationId, locationId, named);
  await mintCaptures(camera, locationId, [{}]);
  return { params: { cameraId: camera.id }, query: `locationId=${locationId}${query}`, places: [locationId] };
}

/** The same, with an export that the caller has created. */
async function onExport(world: World): Promise<Built & { operationId: string }> {
  const { params, query, places } = await onArchive(world);
  const path = `/v1/cameras/${params?.cameraId}/exports?${query}`;
  const { operationId } = await expectJson(exportSchema, 202, "POST", path, world.owner);
  return { params: { cameraId: params?.cameraId ?? "" }, places: places ?? [], query: query ?? "", operationId };
}

export const cameraArchiveRoutes: readonly RouteRow[] = [
  { route: "GET /v1/cameras/:cameraId/captures", who, request: (world) => onArchive(world, "&limit=200"), status: 200 },
  {
    route: "GET /v1/cameras/:cameraId/captures/seek",
    who,
    request: (world) => onArchive(world, "&at=2026-11-20T09:30:00Z"),
    status: 200,
  },
  { route: "GET /v1/cameras/:cameraId/captures/times", who, request: (world) => onArchive(world), status: 200 },
  { route: "GET /v1/cameras/:cameraId/timeline", who, request: (world) => onArchive(world), status: 200 },
  { route: "GET /v1/cameras/:cameraId/frames", who, request: (world) => onArchive(world, "&count=10"), status: 200 },
  {
    route: "POST /v1/cameras/:cameraId/day-strip",
    changesNone: true,
    answersAnew: true,
    who,
    request: async (world) => ({
      ...(await onArchive(world)),
      body: { fromDate: "2026-11-01", toDate: "2026-11-20", localTime: "12:00" },
    }),
    status: 200,
  },
  {
    route: "POST /v1/cameras/:cameraId/previews",
    changesNone: true,
    answersAnew: true,
    who,
    request: async (world) => ({ ...(await onArchive(world)), body: { times: ["2026-11-20T09:30:00Z"] } }),
    status: 200,
  },
  {
    route: "POST /v1/spatial/locations/:locationId/cameras/latest-previews",
    changesNone: true,
    answersAnew: true,
    who,
    request: async (world) => {
      const { params, places } = await onArchive(world);
      return { params: { locationId: places?.[0] ?? "" }, body: { cameraIds: [params?.cameraId] } };
    },
    status: 200,
  },
  {
    route: "GET /v1/camera-captures/:captureId/download",
    who,
    request: async (world) => {
      const { id: locationId } = await mintLocation(world.tenant, named);
      const { id } = await mintImage(await mintCamera(world.organizationId, locationId, named), locationId);
      return { params: { captureId: id }, headers: { accept: "application/json" } };
    },
    status: 200,
  },
  {
    route: "POST /v1/cameras/:cameraId/exports",
    who,
    request: async (world) => ({ ...(await onArchive(world)), body: { fromUtc: "2026-01-01T00:00:00Z" } }),
    status: 202,
    audited: ["camera-export.requested"],
  },
  {
    route: "GET /v1/cameras/:cameraId/exports/:operationId",
    who,
    request: async (world) => {
      const { operationId, ...built } = await onExport(world);
      return { ...built, params: { ...built.params, operationId } };
    },
    status: 200,
  },
  {
    route: "GET /v1/cameras/:cameraId/exports/latest",
    who,
    request: async (world) => {
      const { operationId: _, ...built } = await onExport(world);
      return built;
    },
    status: 200,
  },
  {
    // The address needs no other permission. test/cameras/exports tests it.
    route: "GET /v1/camera-exports/:operationId/download",
    who: "anyone",
    request: async (world) => {
      const { operationId, params, query } = await onExport(world);
      await endedJobs(world.organizationId, "prepare-export");
      const path = `/v1/cameras/${params?.cameraId}/exports/${operationId}?${query}`;
      const { downloadUrl } = await expectJson(exportSchema, 200, "GET", path, world.owner);
      return {
        params: { operationId },
        query: new URL(downloadUrl ?? "").searchParams.toString(),
        headers: { range: "bytes=0-3" },
      };
    },
    status: 206,
    notJson: true,
  },
];
