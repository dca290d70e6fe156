import type { CameraStatus } from "../camera/camera";
import type { Condition } from "../camera/health";
import type { NotDue } from "../schedule";

/** The status of a gateway. `pid` is null when it does not run: then the status comes from its files. */
export interface ShownStatus {
  pid: number | null;
  residentMegabytes: number | null;
  runningSeconds: number | null;
  freeMegabytes: number;
  /** Whether the state cannot be written. A running gateway says so as a fault of its cameras. */
  isReadOnly?: boolean;
  cameras: CameraStatus[];
}

const MEGABYTE = 1024 * 1024;
/** Heartbeats are a minute apart, so that after this time without an answer a camera counts as offline. */
const OFFLINE_AFTER_SECONDS = 150;
/** Time that a gateway has for its first answer after its start. */
const FIRST_ANSWER_SECONDS = 30;

/** Faults by which a camera gives no image, or no image that can be sent. */
const NO_IMAGE: ReadonlySet<string> = new Set<Condition>([
  "disk-read-only",
  "disk-full",
  "camera-unreachable",
  "camera-unauthorized",
  "camera-failed",
  "camera-timeout",
  "folder-unreadable",
  "frame-not-jpeg",
  "frame-damaged",
  "frame-too-large",
]);

export const READ_ONLY_ADVICE = "Restart the machine. If that does not help, replace the card or disk.";

export const ADVICE: Readonly<Partial<Record<Condition, string>>> = {
  "disk-read-only": READ_ONLY_ADVICE,
  "identity-shared":
    "A copied card or disk has the same credential. Give each device its own camera: stop the copy, delete its state folder, and pair it.",
  "disk-full": "Free some space on the disk, or use a larger one.",
  "camera-unreachable": "Check the camera's power, its cable and its address.",
  "camera-unauthorized": "Correct username, password and address in the settings.",
  "camera-failed": "Try the camera's address or command by hand on this machine.",
  "camera-timeout": "Try the camera's address or command by hand, or raise timeoutSeconds.",
  "folder-unreadable": "Let the gateway's user read and write the folder and its files.",
  "frame-not-jpeg": "Set the camera to JPEG.",
  "frame-damaged": "Set the camera to baseline JPEG, and check its connection.",
  "frame-too-large": "Lower the resolution or the quality of the camera.",
  "camera-frozen": "The camera repeats one picture: restart it.",
  "receipt-mismatch": "The images stay here. Tell the operator of the service.",
  "captures-refused": "The service shows the cause at the camera.",
  "storage-full": "Raise the storage of the organization, or delete images there.",
  "clock-unsynchronized": "The gateway takes the time from the service as soon as it answers.",
  "frames-thinned": "Free some space on the disk, or raise spool.maxMegabytes.",
};

const REST: Readonly<Record<Exclude<NotDue, null>, string>> = {
  paused: "paused in the service",
  "outside-window": "outside its capture window",
  night: "skips the night",
};

const number = (value: number): string => value.toLocaleString("en-US");
const images = (count: number): string => `${number(count)} ${count === 1 ? "image" : "images"}`;

/** A span of time in its largest unit: `40 s`, `5 min`, `3 h`, `2 days`. */
export function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7_200) return `${Math.floor(whole / 60)} min`;
  if (whole < 172_800) return `${Math.floor(whole / 3_600)} h`;
  return `${Math.floor(whole / 86_400)} days`;
}

const isOffline = ({ answeredSecondsAgo }: CameraStatus, runningSeconds: number): boolean =>
  answeredSecondsAgo === null ? runningSeconds > FIRST_ANSWER_SECONDS : answeredSecondsAgo > OFFLINE_AFTER_SECONDS;

/** The state of a camera in some words: the next step for a person, or the work of the camera. */
function headline(camera: CameraStatus, runningSeconds: number | null): string {
  const { name, paired, conditions, queueCount, answeredSecondsAgo, notDue } = camera;
  if (!paired) return `NOT PAIRED. Request a code in the service, and run: gateway pair ${name}`;
  if (conditions["credential-revoked"] !== undefined)
    return `NOT ACCEPTED by the service. Request a new code, and run: gateway pair ${name}`;
  if (runningSeconds === null) return queueCount === 0 ? "paired" : "paired, and images wait until the gateway runs";
  if (isOffline(camera, runningSeconds)) {
    const since = answeredSecondsAgo === null ? "since the start" : `for ${spanOf(answeredSecondsAgo)}`;
    return `OFFLINE, no answer from the service ${since}. Run: gateway doctor`;
  }
  if (Object.keys(conditions).some((condition) => NO_IMAGE.has(condition))) return "NO IMAGE";
  if (notDue !== null) return `takes no images now: ${REST[notDue]}`;
  if (answeredSecondsAgo === null) return "starts";
  return queueCount > 2 ? "works, and sends images that waited" : "works";
}

/** The ends of images that did not arrive, in words. */
const LOSSES: readonly [keyof CameraStatus["totals"], string][] = [
  ["rejected", "by the service after its check"],
  ["refused", "by the service without a check"],
  ["damaged", "on this disk"],
  ["thinned", "because the disk was full"],
  ["dropped", "because of their age"],
  ["unwanted", "from a pause, a night or outside the capture window"],
];

function countsOf({ totals, keptApart, unusable, skipped }: CameraStatus): [string, string][] {
  const ends = LOSSES.map(([end, why]): [string, number, string] => [end, totals[end] ?? 0, why]);
  const local: [string, number, string][] = [
    ["not stored", skipped, "because the disk was full"],
    ["unusable", unusable, "of the camera since the start"],
    ["in apart/", keptApart, "for you to look at"],
  ];
  return [
    ["sent", images(totals.completed ?? 0)],
    ...[...ends, ...local].flatMap(([what, count, why]): [string, string][] =>
      count === 0 ? [] : [[what, `${images(count)} ${why}`]],
    ),
  ];
}

function cameraLines(camera: CameraStatus, runningSeconds: number | null, now: number): string[] {
  const { name, queueCount, queueBytes, oldestAtUtc, lastCaptureAtUtc, answeredSecondsAgo, conditions } = camera;
  const ago = (utc: string) => spanOf((now - Date.parse(utc)) / 1_000);
  const oldest = oldestAtUtc === null ? "" : `, the oldest is ${ago(oldestAtUtc)} old`;
  const facts: [string, string][] = [
    ["last image", lastCaptureAtUtc === null ? "none yet" : `${ago(lastCaptureAtUtc)} ago`],
    ...(answeredSecondsAgo === null
      ? []
      : [["service", `answered ${spanOf(answeredSecondsAgo)} ago`] as [string, string]]),
    ["waiting", queueCount === 0 ? "none" : `${images(queueCount)}, ${(queueBytes / MEGABYTE).toFixed(1)} MB${oldest}`],
    ...countsOf(camera),
  ];
  return [
    "",
    `${name}: ${headline(camera, runningSeconds)}`,
    ...facts.map(([what, fact]) => `  ${what.padEnd(11)} ${fact}`),
    ...Object.entries(conditions).flatMap(([condition, detail]) => {
      const advice = ADVICE[condition as Condition];
      return [`  ! ${condition}: ${detail}`, ...(advice === undefined ? [] : [`    ${advice}`])];
    }),
  ];
}

/** The status as lines of text for people. @param now milliseconds since the epoch */
export function describeStatus(status: ShownStatus, now: number): string[] {
  const { pid, residentMegabytes, runningSeconds, freeMegabytes, isReadOnly, cameras } = status;
  const runs =
    pid === null
      ? "The gateway does not run. Start it: systemctl start camera-gateway"
      : `The gateway runs: process ${pid}, for ${spanOf(runningSeconds ?? 0)}, ${residentMegabytes} MB of memory.`;
  return [
    runs,
    `${number(freeMegabytes)} MB of the disk are free.`,
    ...(isReadOnly
      ? [
          "The state cannot be written: its file system is read-only, or another user owns it. A gateway waits until that changes.",
          READ_ONLY_ADVICE,
        ]
      : []),
    ...cameras.flatMap((camera) => cameraLines(camera, pid === null ? null : (runningSeconds ?? 0), now)),
  ];
}
