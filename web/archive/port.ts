import type { CameraTimeline, Capture, CaptureTimes, TimelinePreviewList } from "../../client/src/index.ts";

/** Access of the archive to one camera at one location: with a member's session, or with the token of a share link. */
export interface ArchivePort {
  /** The gaps of the archive, or of a range of it. */
  timeline(range?: { fromUtc: string; toUtc: string }): Promise<CameraTimeline>;
  times(range: { fromUtc?: string; toUtc?: string }): Promise<CaptureTimes>;
  /** The capture nearest to a moment; null if the archive is empty. */
  seek(atUtc: string): Promise<Capture | null>;
  /** Small pictures of the captures nearest to at most 32 moments. */
  previews(times: string[], signal: AbortSignal): Promise<TimelinePreviewList>;
  /** The bytes of a picture; null if it no longer exists. */
  image(captureId: string, form: ImageForm, signal: AbortSignal): Promise<Blob | null>;
}

export type ImageForm = "thumbnail" | "original";

/** The properties of a camera that the archive needs. */
export interface ArchiveCamera {
  name: string;
  timeZone: string;
}

/** The contents of the address: the time of the frame, the visible span, and the compared time, in milliseconds. */
export interface ArchiveAddress {
  t: number | null;
  span: number | null;
  before: number | null;
}
