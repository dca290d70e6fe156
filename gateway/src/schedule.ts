import { getPosition } from "suncalc";
import { isOpen } from "../../src/cameras/schedule";
import type { Configuration } from "./service/answers";
import type { NightSettings } from "./settings";

/** Apparent altitude of the sun's centre, degrees, at which its upper limb is at the horizon. */
const HORIZON_DEGREES = -0.35;

/** Whether the sun is this far below the horizon. It also holds for polar days and nights. */
export const isNight = (at: number, latitude: number, longitude: number, sunBelowDegrees: number): boolean =>
  getPosition(new Date(at), latitude, longitude).altitude < HORIZON_DEGREES - sunBelowDegrees;

/** The reason why no image is due now, or null when one is due. */
export type NotDue = "paused" | "outside-window" | "night" | null;

type Schedule = Pick<
  Configuration,
  "isPaused" | "captureWindow" | "timeZone" | "locationLatitude" | "locationLongitude"
>;

/** Like the service's rule. A zone that this version of Node does not know has no window: an extra image is better than none. */
function isOpenAt(schedule: Parameters<typeof isOpen>[0], at: number): boolean {
  try {
    return isOpen(schedule, at);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return true;
  }
}

/**
 * Decides whether an image is due at a time. Without a known time, only a pause prevents images: an extra image is
 * better than a missing one. The location's coordinates take precedence over the coordinates in the settings.
 */
export function whyNotDue(configuration: Schedule, nights: NightSettings, at: number | null): NotDue {
  const { isPaused, captureWindow, timeZone, locationLatitude, locationLongitude } = configuration;
  if (isPaused) return "paused";
  if (at === null) return null;
  if (!isOpenAt({ captureWindow, timeZone }, at)) return "outside-window";
  if (!nights.skip) return null;
  const [latitude, longitude] =
    locationLatitude !== null && locationLongitude !== null
      ? [locationLatitude, locationLongitude]
      : [nights.latitude, nights.longitude];
  if (latitude === undefined || longitude === undefined) return null;
  return isNight(at, latitude, longitude, nights.sunBelowDegrees) ? "night" : null;
}
