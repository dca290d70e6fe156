import type { Configuration } from "../service/answers";

/** Maximum bytes of one image before the check. A multi-picture file can be larger than the picture that is kept of it. */
export const MAX_SOURCE_BYTES = 24 * 1024 * 1024;

export type PictureSettings = Pick<Configuration, "captureWidth" | "captureHeight" | "jpegQuality">;

/** An image as a camera provided it. */
export interface Shot {
  bytes: Buffer;
  /** Size of a file that is too large to be read. Then `bytes` is empty. */
  tooLarge?: number;
  /** Age of the image. */
  ageMs: number;
  /** When the source can give an image twice, both have this id. */
  captureId?: string;
  /** Called when the image is stored. The source may delete it. */
  kept?: () => void;
  /** Called when the image cannot be sent. */
  refused?: () => void;
}

/** A source of images. */
export interface Source {
  /** `interval`: one image in each interval. `arrival`: each image as soon as it arrives. */
  pace: "interval" | "arrival";
  /** @throws SourceFailure when the camera provides none. */
  take(settings: PictureSettings, signal: AbortSignal): AsyncIterable<Shot>;
}

/** The camera provided no image. */
export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
  constructor(
    /** Reported by the heartbeat. */
    readonly code:
      | "camera-unreachable"
      | "camera-unauthorized"
      | "camera-failed"
      | "camera-timeout"
      | "frame-too-large"
      | "folder-unreadable",
    message: string,
  ) {
    super(message);
  }
}
