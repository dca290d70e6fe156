import { faultInWords } from "../../../src/cameras/faults.ts";
import { some } from "./common.ts";

const MINUTE_MS = 60_000;

/** A length of time in words: "46 min", "3 h", "2 d". */
export function lengthOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d`;
  return hours < 6 && minutes % 60 !== 0 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}

/** The texts of the wall of cameras and of a camera's card. */
export const WALL = {
  title: "Cameras",
  summary: (cameras: number, places: number) =>
    `${some(cameras, "camera", "cameras")} at ${some(places, "location", "locations")}.`,
  /** `count` gives the number of cameras of a kind. */
  trouble: (count: (kind: "silent" | "late" | "unpaired" | "paused" | "revoked") => number) => {
    const KINDS = {
      silent: "silent",
      late: "late",
      unpaired: "not paired",
      paused: "paused",
      revoked: "without access",
    };
    const parts = (Object.keys(KINDS) as (keyof typeof KINDS)[])
      .map((kind) => ({ kind, number: count(kind) }))
      .filter(({ number }) => number > 0)
      .map(({ kind, number }) => `${number} ${number === 1 ? "is" : "are"} ${KINDS[kind]}`);
    return parts.length === 0 ? "All of them work." : `${parts.join(", ")}.`;
  },
  create: "New camera",
  filters: "Show",
  all: "All",
  onlyTrouble: "Trouble",
  sort: "Sort",
  sorts: { trouble: "Trouble first", place: "Location", name: "Name" },
  none: (name: string) => `No cameras in ${name} yet`,
  noneHere: "No cameras here yet",
  noneHelp:
    "A camera sends a picture every few minutes, and its archive grows by itself. Create the first one, then pair it.",
  noneReadOnly: "Cameras that you may see appear here.",
  personal: "Cameras belong to an organization. Choose one at the top, or create one there.",
  off: (name: string) => `Cameras are switched off for ${name}`,
  offForOwner: (name: string) =>
    `An administrator of this service switches cameras on. Ask the people who operate it, and name your organization: ${name}.`,
  offForMember: (name: string) =>
    `An administrator of this service switches cameras on. Ask an owner of ${name} to request it.`,
  offForAdmin: "You administer this service: switch cameras on under Admin, Organizations.",
  switchOn: "Open the organizations",
  nothing: "No camera fits this filter",
  nothingHelp: "Choose another filter, or show all cameras.",
  showAll: "Show all cameras",
  failed: "The cameras could not be read",
  loading: "Reading the cameras…",
  picture: (name: string) => `Latest picture of ${name}`,
  noPicture: "No picture yet",
  lastDayNone: "No pictures in the last 24 hours.",
  lastDay: (gaps: number) => (gaps === 0 ? "Last 24 hours: no gaps." : `Last 24 hours: ${some(gaps, "gap", "gaps")}.`),
  manage: (name: string) => `Settings and device of ${name}`,
  manageShort: "Settings and device",
  historical: "Cameras that were here before",
  historicalFailed: "The cameras that were here before could not be read",
  historicalHelp: (left: string) => `Left on ${left}`,
  retired: "Retired",
};

/** The texts of a card about the state of its camera. */
export const STATE = {
  now: "now",
  ago: (length: string) => `${length} ago`,
  lastAt: (time: string) => `Last at ${time}`,
  noPicture: "No picture yet",
  paused: "Paused",
  retired: "Retired: it takes no pictures any more",
  revoked: "Its device has no access: pair it again",
  unpaired: "Not paired yet",
  pending: "Waits for its device to use the pairing code",
  waiting: "Waits for the first picture",
  closed: (until: string | null) => (until === null ? "Outside capture hours" : `Outside capture hours until ${until}`),
  late: (queued: number) =>
    queued > 0
      ? `Late: ${some(queued, "picture waits", "pictures wait")} on the camera`
      : "Late: the next picture is overdue",
  offline: (length: string) => `Silent for ${length}: no heartbeat`,
  fault: (length: string, code: string | null) =>
    code === null ? `Silent for ${length}: camera fault` : `Silent for ${length}. ${faultInWords(code)}`,
  /** A fault with the code that the device sends. */
  faultAndCode: (code: string) => `${faultInWords(code)} (${code})`,
};

/** The texts of one camera: pairing, device, settings and review. */
export const CAMERA = {
  parts: "Parts of the camera",
  back: "All cameras",
  archive: "Open the archive",
  gone: "This camera cannot be shown",
  failed: "The camera could not be read",
  loading: "Reading the camera…",
  tabs: { settings: "Settings", device: "Device", review: "Review" },
  pause: "Pause",
  resume: "Resume",
  pauseFailed: "The camera was not changed",
  pair: "Pair a device",
  pairAgain: "Pair another device",
  pairHelp: "Enter this code at the device. It works once. A device that is paired now loses its access.",
  pairStart: "Make a pairing code",
  pairFailed: "No pairing code was made",
  pairLeft: (left: string) => `Good for ${left}`,
  pairEnded: "This code has ended. Make a new one.",
  pairDone: "The device is paired.",
  pairCode: "Pairing code",
  pairQr: "QR code with the address of this service and the pairing code",
  device: "Device",
  noDevice: "No device has reported yet.",
  facts: {
    pairing: "Pairing",
    clock: "Clock of these times",
    seen: "Last heartbeat",
    capture: "Newest picture",
    applied: "Settings",
    queue: "Waiting on the device",
    free: "Free on the device",
    error: "Reported error",
    frozen: "Identical pictures",
  },
  pairings: { none: "Not paired", pending: "A code is open", paired: "Paired" },
  applied: "The device has the present settings",
  pending: "The device does not have the present settings yet",
  queue: (count: number, size: string) => (count === 0 ? "Nothing" : `${some(count, "picture", "pictures")}, ${size}`),
  never: "Never",
  frozen: (count: number) => `The newest ${count} pictures are the same: the camera may be frozen`,
  history: "Interruptions",
  historyNone: "Nothing was missed.",
  historyFailed: "The interruptions could not be read",
  historyLoading: "Reading the interruptions…",
  historyColumns: { from: "From", length: "Length", cause: "Cause" },
  revoke: "End the device's access",
  revokeHelp:
    "The device can send nothing any more, and the camera is paused. A new pairing code lets a device in again.",
  revokeFailed: "The access was not ended",
  retire: "Retire this camera",
  retireHelp: "The camera takes no pictures any more, and nobody can undo that. Its pictures stay until they expire.",
  retireFailed: "The camera was not retired",
  end: "Move or end",
  save: "Save the settings",
  saved: "The settings are saved. The device reads them with its next call.",
  saveFailed: "The settings were not saved",
  create: "Create the camera",
  createFailed: "The camera was not created",
  location: "Location",
  settingsFailed: "The settings could not be read",
  settingsLoading: "Reading the settings…",
  reduceTitle: "Keep pictures for fewer days?",
  reduceHelp: "Older pictures expire at once, and do not come back.",
  reduce: "Expire them and save",
  fields: {
    name: "Name",
    description: "Description",
    captureIntervalMinutes: "Minutes between two pictures",
    retentionDays: "Days that pictures are kept",
    captureWidth: "Width in pixels",
    captureHeight: "Height in pixels",
    jpegQuality: "JPEG quality",
    timeZone: "Time zone",
  },
  window: "Take pictures only at certain hours",
  windowStart: "From",
  windowEnd: "Until",
  windowDays: "On these days",
  days: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
  rejected: "Rejected pictures",
  rejectedHelp: "Their bytes were damaged or no picture. They are kept for 90 days, and are in no archive.",
  rejectedNone: "No picture was rejected.",
  held: "Pictures that wait for you",
  heldHelp: "Their check ended without a decision. Check them again, or leave it to the device.",
  heldNone: "No picture waits.",
  reviewFailed: "The pictures could not be read",
  reviewLoading: "Reading the pictures to review…",
  download: "Download",
  downloadFailed: "The file could not be downloaded",
  retry: "Check again",
  retryFailed: "The check did not begin",
  retried: "The picture is being checked again.",
};

/** The texts of the form that moves a camera. */
export const MOVE = {
  open: "Move to another location",
  title: (name: string) => `Move ${name}`,
  help: "The pictures of this location stay here. The access of the device ends: pair it again at the new location.",
  first: "Pause the camera first, and wait until nothing waits on the device. Else its waiting pictures are lost.",
  to: "New location",
  cancelPending: "Cancel uploads that are not finished",
  send: "Move the camera",
  failed: "The camera was not moved",
  moved: (place: string) => `The camera is at ${place} now. Pair its device again.`,
  nowhere: "There is no other location where you may change cameras.",
  placesFailed: "The locations could not be read",
  reading: "Reading the locations…",
};

/** The forecast of what retention needs. */
export const FORECAST = {
  need: (days: number, minutes: number, size: string) =>
    `${some(days, "day", "days")} at ${some(minutes, "minute", "minutes")} ≈ ${size}`,
  share: (percent: string) => `${percent} of what is left`,
  tooMuch: "More than what is left: new pictures will be refused when the storage is full.",
  measured: "Estimated from the camera's newest pictures.",
  guessed: "Estimated from the size and quality that you chose.",
  limit: (days: number) => `This organization keeps pictures for ${some(days, "day", "days")} at most.`,
};

/** The texts of share links. */
export const SHARES = {
  title: "Share links",
  help: "Everybody who has a link sees its cameras, without an account.",
  create: "New link",
  createFailed: "The link was not created",
  edit: (name: string) => `Edit ${name}`,
  editShort: "Edit",
  save: "Save the link",
  saveFailed: "The link was not saved",
  revoke: (name: string) => `Revoke ${name}`,
  revokeShort: "Revoke",
  revokeTitle: "Revoke this link?",
  revokeHelp: "Everybody who has it sees nothing any more, at once. Nobody can undo that.",
  revokeFailed: "The link was not revoked",
  revoked: (name: string) => `“${name}” shows nothing any more.`,
  none: "No links yet",
  failed: "The links could not be read",
  loading: "Reading the links…",
  name: "Name",
  nameHelp: "Those who open the link see it.",
  cameras: "Cameras",
  expires: "Ends on",
  expiresHelp: "Empty: the link works until you revoke it.",
  from: "Show pictures from",
  until: "Show pictures until",
  timeHelp: "Empty: all pictures that are kept.",
  clock: (zone: string) => `Times of ${zone}`,
  passcode: "Passcode",
  passcodeHelp: "At least 6 characters. Empty: the link has none.",
  passcodeKept: "Empty: the present passcode stays.",
  passcodeRemove: "Remove the passcode",
  hideMetadata: "Remove EXIF data, position and owner from the pictures",
  showGapCauses: "Show why pictures are missing",
  made: "The link is ready",
  madeHelp: "Copy it now: it is shown only once.",
  all: "All links of this location",
  camerasFailed: "The cameras of the location could not be read",
  readingCameras: "Reading the cameras of the location…",
  link: "Link",
  qr: "QR code of the link",
  copy: "Copy the link",
  done: "Done",
  ended: (when: string) => `Ended ${when}`,
  ends: (when: string) => `Ends ${when}`,
  used: (when: string) => `Last used ${when}`,
  unused: "Never used",
  locked: "Passcode",
  shownFrom: (when: string) => `Pictures from ${when}`,
  shownUntil: (when: string) => `Pictures until ${when}`,
  count: (cameras: number) => some(cameras, "camera", "cameras"),
  chooseOne: "Choose at least one camera.",
};
