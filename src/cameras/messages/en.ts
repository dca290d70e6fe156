import { list, number } from "../../platform/languages/en";

/** The notifications about cameras. */
export const MESSAGES = {
  /** The names of cameras; `more` are not named. */
  names: (shown: readonly string[], more: number) => list(shown) + (more > 0 ? ` and ${number(more)} more` : ""),
  offline: (cameras: number) =>
    cameras === 1
      ? "A camera is silent: nothing is heard of it"
      : `${number(cameras)} cameras are silent: nothing is heard of them`,
  noImages: (cameras: number) =>
    cameras === 1
      ? "A camera is silent: it sends no images"
      : `${number(cameras)} cameras are silent: they send no images`,
  back: (cameras: number) => (cameras === 1 ? "A camera is back" : `${number(cameras)} cameras are back`),
  at: (location: string, cameras: string) => `${location}: ${cameras}`,
  because: (cameras: string, fault: string) => `${cameras}. ${fault}`,
  exportReady: "An export is ready to download",
  rejected: "A camera sent an image that was rejected",
  rejectedBecause: (camera: string, reason: string) => `${camera}: ${reason}`,
};

/** The faults of devices by the codes that the gateway sends and `docs/reference/devices.md` lists. */
export const FAULTS = {
  byCode: {
    "camera-failed": "The camera gives no picture.",
    "camera-frozen": "The camera repeats one picture.",
    "camera-open-failed": "The device cannot open its camera.",
    "camera-timeout": "The camera does not answer its device.",
    "camera-unauthorized": "The camera refuses the password of its device.",
    "camera-unreachable": "The device does not reach its camera.",
    "captures-refused": "The service refused pictures of the device.",
    "clock-unsynchronized": "The device does not know the time.",
    "credential-revoked": "The device has no access any more. Pair it again.",
    "disk-full": "The disk of the device is full.",
    "disk-read-only": "The disk of the device cannot be written.",
    "folder-unreadable": "The device cannot read the folder of its pictures.",
    "frame-damaged": "The pictures of the camera are damaged.",
    "frame-normalised": "The device corrects the files of the camera.",
    "frame-not-jpeg": "The files of the camera are not JPEG pictures.",
    "frame-too-large": "The pictures of the camera are too large.",
    "frames-thinned": "The disk of the device was full, and it deleted some pictures.",
    "identity-shared": "Two devices use this identity. Pair each device with its own camera.",
    "local-file-damaged": "The disk of the device damages pictures.",
    "receipt-mismatch": "The service confirmed other pictures than the device sent.",
    "storage-full": "The storage of the organization is full.",
  } as Readonly<Record<string, string>>,
  other: (code: string) => `The device says: ${code}`,
};
