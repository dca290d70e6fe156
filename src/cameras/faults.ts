/** The codes of faults that the service knows, in words for people: those of the gateway and of `docs/reference/devices.md`. */
const FAULTS: Readonly<Record<string, string>> = {
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
  "identity-shared": "Two devices use this identity. Pair each one with a camera of its own.",
  "local-file-damaged": "The disk of the device damages pictures.",
  "receipt-mismatch": "The service confirmed other pictures than the device sent.",
  "storage-full": "The storage of the organization is full.",
};

/** The error code of a heartbeat as a sentence. A code without one is shown as the device wrote it, with spaces. */
export function faultInWords(code: string): string {
  return FAULTS[code] ?? `The device says: ${code.replace(/[._:-]+/g, " ").trim()}`;
}
