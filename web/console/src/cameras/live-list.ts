import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { dataOf, eachItem, type WallCamera } from "../../../../client/src/index.ts";
import { type Loaded, useLoaded } from "../../../ui/loading.ts";
import { useLooks } from "../../../ui/looking.ts";
import { useEvents, useFresh, useGathered } from "../platform/live/index.ts";
import { api, session } from "../platform/session.ts";
import { forgetPictures, readPictures } from "./pictures.ts";

/** The shown list is also read again after this time, because the strips of the last day move. */
const REFRESH_MS = 120_000;
/** Maximum number of locations that a wall listens to. The service lets a connection join 200. */
const MAX_PLACES = 150;
const TICK_MS = 10_000;

/** The current time, for ages that update themselves. */
export const now = signal(Date.now());

interface WallQuery {
  organizationId: string;
  locationId?: string;
}

/** The locations of cameras that a wall showed. An archive that is opened from it reads both at the same time. */
export const knownPlaces = new Map<string, string>();

async function readCameras(query: WallQuery): Promise<WallCamera[]> {
  const all = await Array.fromAsync(
    eachItem((cursor) => dataOf(api.GET("/v1/cameras", { params: { query: { ...query, limit: 100, cursor } } }))),
  );
  for (const { id, locationId } of all) knownPlaces.set(id, locationId);
  return all;
}

const later = (one: string | null | undefined, other: string | null | undefined): string | null =>
  (one ?? "") > (other ?? "") ? (one ?? null) : (other ?? null);

/** The times of newer pictures that live events announced for these cameras, by camera id. */
function useNewest(places: readonly string[]): ReadonlyMap<string, string> {
  const told = useRef(new Map<string, string>());
  const [newest, setNewest] = useState<ReadonlyMap<string, string>>(new Map());
  const show = useGathered(() => setNewest(new Map(told.current)));
  useEvents(["CapturePublished"], places, ({ cameraId, capturedAtUtc }) => {
    told.current.set(cameraId, later(told.current.get(cameraId), capturedAtUtc) ?? capturedAtUtc);
    show();
  });
  return newest;
}

/**
 * The cameras of an organization or of a location. New pictures and states appear with live events, and the ages update
 * themselves.
 */
export function useWallCameras(query: WallQuery): Loaded<WallCamera[]> {
  const loaded = useLoaded(JSON.stringify([session.value?.user.id, query]), () => readCameras(query));
  const { data: read, reload } = loaded;
  const places = useMemo(
    () => [...new Set(read?.map(({ locationId }) => locationId) ?? [])].slice(0, MAX_PLACES),
    [read],
  );
  const newest = useNewest(places);
  useFresh(places, reload, (event) => event.kind === "StateUpdated" && event.subject.type === "camera");
  const data = useMemo(
    () =>
      read?.map((camera) => ({ ...camera, lastCaptureAtUtc: later(camera.lastCaptureAtUtc, newest.get(camera.id)) })),
    [read, newest],
  );
  useEffect(() => {
    if (data !== undefined) readPictures(data);
    now.value = Date.now();
  }, [data]);
  useLooks(REFRESH_MS, reload);
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => forgetPictures, []);
  return { ...loaded, data };
}
