import type { CameraTimeline, Capture, CaptureTimes, TimelinePreviewList } from "../../client/src/index.ts";

/** How the archive reads one camera at one location: with a member's session, or with the token of a share link. */
export interface ArchivePort {
  /** The gaps of the archive, or of a range of it. */
  timeline(range?: { fromUtc: string; toUtc: string }): Promise<CameraTimeline>;
  times(range: { fromUtc?: string; toUtc?: string }): Promise<CaptureTimes>;
  /** The capture nearest to a moment; null in an empty archive. */
  seek(atUtc: string): Promise<Capture | null>;
  /** Small pictures of the captures nearest to at most 32 moments. */
  previews(times: string[], signal: AbortSignal): Promise<TimelinePreviewList>;
  /** The bytes of a picture; null when it is gone. */
  image(captureId: string, form: ImageForm, signal: AbortSignal): Promise<Blob | null>;
}

export type ImageForm = "thumbnail" | "original";

/** What the archive needs to know of its camera. */
export interface ArchiveCamera {
  name: string;
  timeZone: string;
}

/** What the address says: the time of the frame, the visible span, and the time that is compared. Milliseconds. */
export interface ArchiveAddress {
  t: number | null;
  span: number | null;
  before: number | null;
}
