import type { Configuration } from "../service/answers";

/** Most that is read of one image before it is judged: a multi-picture file may be larger than what is left of it. */
export const MAX_SOURCE_BYTES = 24 * 1024 * 1024;

export type PictureSettings = Pick<Configuration, "captureWidth" | "captureHeight" | "jpegQuality">;

/** An image as a camera gave it. */
export interface Shot {
  bytes: Buffer;
  /** How long ago it was taken. */
  ageMs: number;
  /** The same image gets the same id, where the source may give it twice. */
  captureId?: string;
  /** Called once it is kept: the source may let it go. */
  kept?: () => void;
  /** Called when it is no image that can be sent. */
  refused?: () => void;
}

/** Where images come from. */
export interface Source {
  /** `interval`: one image at each interval. `arrival`: each image as soon as it is there. */
  pace: "interval" | "arrival";
  /** @throws SourceFailure when the camera gives none. */
  take(settings: PictureSettings, signal: AbortSignal): AsyncIterable<Shot>;
}

/** A camera that gives no image. */
export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
  constructor(
    /** Reported by the heartbeat. */
    readonly code:
      | "camera-unreachable"
      | "camera-unauthorized"
      | "camera-failed"
      | "camera-timeout"
      | "folder-unreadable",
    message: string,
  ) {
    super(message);
  }
}
