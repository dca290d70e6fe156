import { dataOf } from "../../../../client/src/index.ts";
import type { ArchivePort } from "../../../archive/port.ts";
import { api } from "../platform/session.ts";

/** The bytes at an address that the service gave; null if they no longer exist. */
async function bytesAt(url: string, signal: AbortSignal): Promise<Blob | null> {
  const response = await fetch(url, { signal });
  return response.ok ? response.blob() : null;
}

/** The archive of a camera at a location, read with the session of a member. */
export function memberPort(cameraId: string, locationId: string): ArchivePort {
  const path = { cameraId };
  return {
    timeline: (range) =>
      dataOf(api.GET("/v1/cameras/{cameraId}/timeline", { params: { path, query: { locationId, ...range } } })),
    times: (range) =>
      dataOf(api.GET("/v1/cameras/{cameraId}/captures/times", { params: { path, query: { locationId, ...range } } })),
    seek: async (at) => {
      const params = { path, query: { locationId, at } };
      return (await dataOf(api.GET("/v1/cameras/{cameraId}/captures/seek", { params }))).capture;
    },
    previews: (times, signal) =>
      dataOf(
        api.POST("/v1/cameras/{cameraId}/previews", {
          params: { path, query: { locationId } },
          body: { times },
          signal,
        }),
      ),
    image: async (captureId, form, signal) => {
      const { data, response } = await api.GET("/v1/camera-captures/{captureId}/download", {
        params: { path: { captureId }, query: { thumbnail: form === "thumbnail" ? "true" : "false" } },
        headers: { accept: "application/json" },
        signal,
      });
      if (response.status === 404) return null;
      const link = await dataOf(Promise.resolve({ ...(data !== undefined && { data }), response }));
      return link === undefined ? null : bytesAt(link.url, signal);
    },
  };
}
