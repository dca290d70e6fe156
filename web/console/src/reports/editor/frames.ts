import { useRef } from "preact/hooks";
import { dataOf } from "../../../../../client/src/index.ts";
import { Clock } from "../../../../archive/clock.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { api } from "../../platform/session.ts";
import { isObject } from "../json.ts";

/** A frame that a draft names by its camera and moment. */
interface ChosenFrame {
  cameraId: string;
  at: string;
}

/**
 * The facts that the service knows about a frame: the camera's name, the time there, and the preview, if the frame
 * still exists.
 */
export interface KnownFrame {
  words: string;
  jpegBase64: string | null;
}

/** Previews that one call gives. */
const MAX_PREVIEWS = 32;

export const frameOf = (value: unknown): ChosenFrame | null =>
  isObject(value) && typeof value.cameraId === "string" && typeof value.at === "string"
    ? { cameraId: value.cameraId, at: value.at }
    : null;

export const keyOf = ({ cameraId, at }: ChosenFrame): string => `${cameraId} ${at}`;

/** The day and time of a frame, in the time zone of its camera. */
export const frameTime = (clock: Clock, utc: string): string =>
  `${clock.say(Date.parse(utc), "shortDay")}, ${clock.say(Date.parse(utc), "time")}`;

/** The moment of a frame whose camera is not known; the draft's own words if they are no time. */
export const momentOf = ({ at }: ChosenFrame): string =>
  Number.isNaN(Date.parse(at)) ? at : `${frameTime(new Clock("UTC"), at)} UTC`;

/** Reads frames of one camera: the camera once, and the previews in batches. */
async function readOfCamera(
  cameraId: string,
  locationId: string,
  times: readonly string[],
): Promise<[string, KnownFrame][]> {
  const path = { cameraId };
  const camera = await dataOf(api.GET("/v1/cameras/{cameraId}", { params: { path } }));
  const clock = new Clock(camera.timeZone);
  const known: [string, KnownFrame][] = [];
  for (let from = 0; from < times.length; from += MAX_PREVIEWS) {
    const some = times.slice(from, from + MAX_PREVIEWS);
    const { samples, images } = await dataOf(
      api.POST("/v1/cameras/{cameraId}/previews", { params: { path, query: { locationId } }, body: { times: some } }),
    );
    for (const [n, at] of some.entries()) {
      const image = images.find(({ captureId }) => captureId === samples[n]?.captureId);
      const words = `${camera.name}, ${frameTime(clock, image?.capturedAtUtc ?? at)}`;
      known.push([keyOf({ cameraId, at }), { words, jpegBase64: image?.jpegBase64 ?? null }]);
    }
  }
  return known;
}

/** Reads the facts that are known about frames, by `keyOf`. Frames of a camera that cannot be read are missing. */
export function useKnownFrames(frames: readonly ChosenFrame[], locationId: string): ReadonlyMap<string, KnownFrame> {
  const known = useRef(new Map<string, KnownFrame>()).current;
  const missing = [...new Map(frames.map((one) => [keyOf(one), one])).values()].filter((one) => !known.has(keyOf(one)));
  useLoaded(missing.map(keyOf).join(), () =>
    Promise.all(
      [...Map.groupBy(missing, ({ cameraId }) => cameraId)].map(async ([cameraId, theirs]) => {
        const times = theirs.map(({ at }) => at);
        const read = await readOfCamera(cameraId, locationId, times).catch(() => []);
        for (const [key, frame] of read) known.set(key, frame);
      }),
    ),
  );
  return known;
}
