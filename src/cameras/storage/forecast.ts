/* The storage that the images of cameras need. Pure functions, because the console uses them too. */

const DAY_MINUTES = 24 * 60;

interface Window {
  start: string;
  end: string;
  daysOfWeek?: number[] | undefined;
}

/** The settings that decide what retention needs. */
export interface Plan {
  captureIntervalMinutes: number;
  retentionDays: number;
  captureWidth: number;
  captureHeight: number;
  jpegQuality: number;
  captureWindow: Window | null;
}

/** The newest images of a camera: the sums of their bytes and their pixels. */
export interface Measured {
  bytes: number;
  pixels: number;
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** The share of a week in which images are taken. */
function openShare(window: Window | null): number {
  if (window === null) return 1;
  const length = (minutesOf(window.end) - minutesOf(window.start) + DAY_MINUTES) % DAY_MINUTES;
  return ((window.daysOfWeek?.length ?? 7) / 7) * (length / DAY_MINUTES);
}

/** Bytes of a pixel in a JPEG of an outdoor scene, by the quality of the encoder: 0.35 at 90, 0.13 at 70. */
const bytesPerPixel = (quality: number): number => 0.06 + 0.29 * (Math.min(quality, 100) / 90) ** 6;

/** Bytes of one image of a camera. */
function imageBytes(plan: Plan, measured: Measured | null): number {
  const pixels = plan.captureWidth * plan.captureHeight;
  return measured === null ? pixels * bytesPerPixel(plan.jpegQuality) : measured.bytes * (pixels / measured.pixels);
}

/** Bytes that a camera adds on a day. */
export const bytesPerDay = (plan: Plan, measured: Measured | null): number =>
  ((DAY_MINUTES * openShare(plan.captureWindow)) / plan.captureIntervalMinutes) * imageBytes(plan, measured);

/** Bytes that the images of a camera need when it has run for as long as they are kept. */
export const bytesNeeded = (plan: Plan, measured: Measured | null): number =>
  Math.max(imageBytes(plan, measured), plan.retentionDays * bytesPerDay(plan, measured));

/** The growth of a camera's storage: a rate, until its first image is as old as the retention. */
interface Growth {
  bytesPerDay: number;
  /** Days until as much is deleted as is added. */
  days: number;
}

/** Days until cameras that grow together have filled `freeBytes`; null if they never do. */
export function daysUntilFull(cameras: readonly Growth[], freeBytes: number): number | null {
  if (freeBytes <= 0) return 0;
  const growing = cameras
    .filter(({ bytesPerDay, days }) => bytesPerDay > 0 && days > 0)
    .sort((a, b) => a.days - b.days);
  let [rate, day, free] = [growing.reduce((sum, one) => sum + one.bytesPerDay, 0), 0, freeBytes];
  for (const { bytesPerDay, days } of growing) {
    const added = rate * (days - day);
    if (added >= free) return day + free / rate;
    free -= added;
    day = days;
    rate -= bytesPerDay;
  }
  return null;
}
