import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { dataOf, eachItem, type WallCamera } from "../../../../client/src/index.ts";
import { type Loaded, useLoaded } from "../../../ui/loading.ts";
import { api, session } from "../session.ts";
import { forgetPictures, readPictures } from "./pictures.ts";

/** The list is read again this often while it is looked at. */
const REFRESH_MS = 30_000;
const TICK_MS = 10_000;

/** The present time, for ages that update themselves. */
export const now = signal(Date.now());

export interface WallQuery {
  organizationId: string;
  locationId?: string;
}

const readCameras = (query: WallQuery): Promise<WallCamera[]> =>
  Array.fromAsync(
    eachItem((cursor) => dataOf(api.GET("/v1/cameras", { params: { query: { ...query, limit: 100, cursor } } }))),
  );

/** The cameras of an organization or of a location. The list, the ages and the pictures update themselves. */
export function useWallCameras(query: WallQuery): Loaded<WallCamera[]> {
  const loaded = useLoaded(JSON.stringify([session.value?.user.id, query]), () => readCameras(query));
  const { data, reload } = loaded;
  useEffect(() => {
    if (data !== undefined) readPictures(data);
  }, [data]);
  useEffect(() => {
    const refresh = () => document.visibilityState === "visible" && navigator.onLine && reload();
    const timers = [
      setInterval(refresh, REFRESH_MS),
      setInterval(() => {
        now.value = Date.now();
      }, TICK_MS),
    ];
    now.value = Date.now();
    document.addEventListener("visibilitychange", refresh);
    addEventListener("online", refresh);
    return () => {
      timers.forEach(clearInterval);
      document.removeEventListener("visibilitychange", refresh);
      removeEventListener("online", refresh);
    };
  }, []);
  useEffect(() => forgetPictures, []);
  return loaded;
}
