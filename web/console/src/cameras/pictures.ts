import { type Signal, signal } from "@preact/signals";
import { dataOf, type WallCamera } from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";

/**
 * Maximum number of cameras in one request for latest pictures, and of thumbnails that are fetched at the same time.
 */
const MAX_PREVIEWS = 32;
const MAX_CONCURRENT_FETCHES = 4;
/** Cards that come near the window within this time are read together, milliseconds. */
const GATHER_MS = 80;

interface Kept {
  /** The newest picture of the camera at the time of the request. */
  takenAt: string;
  /** The newest picture that the camera had when its running request began; empty without one. */
  askedFor: string;
  url: Signal<string | null>;
}

const kept = new Map<string, Kept>();
/** The cameras of the wall, and those of them whose cards are near the window. */
let listed: readonly WallCamera[] = [];
const near = new Set<string>();
let gathering: ReturnType<typeof setTimeout> | undefined;
/** Ends with the wall: pictures that nobody sees are not read to their end. */
let shown = new AbortController();

function show(picture: Kept, bytes: Blob): void {
  const before = picture.url.peek();
  picture.url.value = URL.createObjectURL(bytes);
  if (before !== null) URL.revokeObjectURL(before);
}

function keptOf(cameraId: string): Kept {
  const found = kept.get(cameraId) ?? { takenAt: "", askedFor: "", url: signal<string | null>(null) };
  kept.set(cameraId, found);
  return found;
}

/** The address of a camera's latest picture; null until it is fetched. */
export const pictureOf = (cameraId: string): Signal<string | null> => keptOf(cameraId).url;

const jpegOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: "image/jpeg" });

async function readLatest(
  locationId: string,
  cameras: readonly WallCamera[],
  { signal }: AbortController,
): Promise<void> {
  const { items } = await dataOf(
    api.POST("/v1/spatial/locations/{locationId}/cameras/latest-previews", {
      params: { path: { locationId } },
      body: { cameraIds: cameras.map(({ id }) => id) },
      signal,
    }),
  );
  if (signal.aborted) return;
  const waiting = items.values();
  const fetchThumbnails = async () => {
    for (const { cameraId, capture, jpegBase64, thumbnailUrl } of waiting) {
      if (capture === null || jpegBase64 === null) continue;
      const picture = keptOf(cameraId);
      picture.takenAt = capture.capturedAtUtc;
      if (picture.url.peek() === null) show(picture, jpegOf(jpegBase64));
      const response = thumbnailUrl === null ? null : await fetch(thumbnailUrl, { signal });
      const bytes = response?.ok ? await response.blob() : null;
      if (signal.aborted) return;
      if (bytes !== null) show(picture, bytes);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_FETCHES }, fetchThumbnails));
}

/** Counts the card of a camera as near the window, so that its picture is read. @returns a function that ends it */
export function wantPicture(cameraId: string): () => void {
  near.add(cameraId);
  clearTimeout(gathering);
  gathering = setTimeout(() => readPictures(listed), GATHER_MS);
  return () => near.delete(cameraId);
}

/**
 * Requests the latest pictures of cameras near the window that have a newer picture than the shown picture: 32 of a location
 * in each request.
 */
export function readPictures(cameras: readonly WallCamera[]): void {
  listed = cameras;
  const newer = cameras.filter(({ id, lastCaptureAtUtc }) => {
    if (lastCaptureAtUtc === null || !near.has(id)) return false;
    const { takenAt, askedFor } = keptOf(id);
    return takenAt < lastCaptureAtUtc && askedFor < lastCaptureAtUtc;
  });
  for (const { id, lastCaptureAtUtc } of newer) keptOf(id).askedFor = lastCaptureAtUtc ?? "";
  for (const [locationId, some] of Map.groupBy(newer, (camera) => camera.locationId))
    for (let at = 0; at < some.length; at += MAX_PREVIEWS) {
      const asked = some.slice(at, at + MAX_PREVIEWS);
      // A picture that does not arrive is requested again with the next list.
      readLatest(locationId, asked, shown)
        .catch(() => undefined)
        .finally(() => {
          for (const picture of asked.map(({ id }) => kept.get(id))) if (picture !== undefined) picture.askedFor = "";
        });
    }
}

/** Frees the pictures when no wall is shown any more. */
export function forgetPictures(): void {
  shown.abort();
  listed = [];
  shown = new AbortController();
  for (const { url } of kept.values()) if (url.peek() !== null) URL.revokeObjectURL(url.peek() ?? "");
  kept.clear();
}
