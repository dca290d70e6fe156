/** The capture time of an image: a known time, an estimated time, or a reading of clocks that is not converted yet. */
export type TakenAt =
  | { quality: "synchronized" | "estimated"; at: number }
  | { quality: "unresolved"; reading: ClockReading };

/** A reading of the machine's clocks. None of them needs to be right. */
export interface ClockReading {
  bootId: string;
  /** Milliseconds since the machine started, or negative for a time before. */
  uptime: number;
  /** Milliseconds since the epoch, by the wall clock. */
  wall: number;
}

/** The announcement of an image. It never changes after its time is resolved, and is the same in every attempt. */
export interface Intent {
  captureId: string;
  assignmentGeneration: number;
  takenAt: TakenAt;
  sizeBytes: number;
  checksumSha256: string;
}

const NAME =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_(?:([se])(\d+)|u(-?\d+)-(\d+)-([0-9a-f-]{36}))_(\d+)_(\d+)_([0-9a-f]{64})\.jpg$/;

function timeOf(takenAt: TakenAt): string {
  if (takenAt.quality !== "unresolved") return `${takenAt.quality === "synchronized" ? "s" : "e"}${takenAt.at}`;
  const { uptime, wall, bootId } = takenAt.reading;
  return `u${uptime}-${wall}-${bootId}`;
}

/**
 * The name of an image's file contains its intent: one rename stores both, and a start reads only names.
 * `<captureId>_<time>_<generation>_<size>_<SHA-256>.jpg`
 */
export const fileNameOf = (intent: Intent): string =>
  `${intent.captureId}_${timeOf(intent.takenAt)}_${intent.assignmentGeneration}_${intent.sizeBytes}_${intent.checksumSha256}.jpg`;

/** The intent in a file's name, or null for any other file. */
export function intentOf(name: string): Intent | null {
  const found = NAME.exec(name);
  if (found === null) return null;
  const [, captureId = "", mark, at, uptime, wall, bootId = "", generation, size, checksumSha256 = ""] = found;
  const takenAt: TakenAt =
    mark === undefined
      ? { quality: "unresolved", reading: { bootId, uptime: Number(uptime), wall: Number(wall) } }
      : { quality: mark === "s" ? "synchronized" : "estimated", at: Number(at) };
  return {
    captureId,
    assignmentGeneration: Number(generation),
    takenAt,
    sizeBytes: Number(size),
    checksumSha256,
  };
}
