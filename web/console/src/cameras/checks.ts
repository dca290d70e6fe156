import type { CHECKS } from "#texts/cameras.ts";
import type { Camera } from "../../../../client/src/index.ts";

export type Check = keyof typeof CHECKS.items;

const MINUTE_MS = 60_000;
/** A device that was heard in this time runs. The service stores a heartbeat that changes nothing every few minutes. */
const HEARD_MS = 15 * MINUTE_MS;
/** Whether a device was heard so lately that it runs. `now` in milliseconds since the epoch. */
export const isHeard = (lastSeenAtUtc: string | null, now: number): boolean =>
  lastSeenAtUtc !== null && now - Date.parse(lastSeenAtUtc) <= HEARD_MS;
/** Fewer free bytes on a device stop its pictures. */
const MIN_FREE_BYTES = 50_000_000;

/** What to check for an error that a device reports. `docs/reference/devices.md` lists the codes. */
export const CHECKS_OF_ERROR: Readonly<Record<string, readonly Check[]>> = {
  "camera-failed": ["camera", "restart"],
  "camera-frozen": ["frozen"],
  "camera-open-failed": ["camera", "restart"],
  "camera-timeout": ["cameraLink", "camera"],
  "camera-unauthorized": ["password"],
  "camera-unreachable": ["cameraLink", "camera"],
  "captures-refused": ["refused"],
  "clock-unsynchronized": ["clock"],
  "credential-revoked": ["pairAgain"],
  "disk-full": ["disk"],
  "disk-read-only": ["disk"],
  "folder-unreadable": ["folder"],
  "frame-damaged": ["camera", "cameraLink"],
  "frame-normalised": ["format"],
  "frame-not-jpeg": ["format"],
  "frame-too-large": ["format"],
  "frames-thinned": ["disk", "uploads"],
  "identity-shared": ["identity"],
  "local-file-damaged": ["disk"],
  "receipt-mismatch": ["restart"],
  "storage-full": ["storage"],
};

/** The other cameras of the location that should send pictures, and how many of them are silent. */
export interface Others {
  count: number;
  silent: number;
}

type Known = Pick<Camera, "device" | "identicalFrames" | "lastSeenAtUtc" | "pairing">;

/**
 * What to check when a camera is silent, the most likely cause first. A device that is heard has power and a network, so its
 * error, its queue and its camera come first. Of a device that is not heard, the place comes first if everything there is silent.
 */
export function checksOf(camera: Known, others: Others, now: number): Check[] {
  const { device, identicalFrames, lastSeenAtUtc, pairing } = camera;
  if (pairing !== "paired") return ["pair", "firewall"];
  const ofError = device?.errorCode ? (CHECKS_OF_ERROR[device.errorCode] ?? (["restart"] as const)) : [];
  const checks: Check[] = isHeard(lastSeenAtUtc, now)
    ? [
        ...ofError,
        ...((device?.queueCount ?? 0) > 0 ? (["uploads"] as const) : []),
        ...(device !== null && device.freeBytes < MIN_FREE_BYTES ? (["disk"] as const) : []),
        ...(identicalFrames > 2 ? (["frozen"] as const) : []),
        "camera",
        "restart",
      ]
    : [
        ...(others.count > 0 && others.silent === others.count ? (["placePower", "placeNetwork"] as const) : []),
        "power",
        others.count > others.silent ? "cable" : "network",
        ...ofError,
        "firewall",
        "pairAgain",
      ];
  return [...new Set(checks)];
}
