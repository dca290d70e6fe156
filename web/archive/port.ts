import type { CaptureTimes, SharedCameraTimeline, SharedCapture, TimelinePreviewList } from "../../client/src/index.ts";

/** A capture as its archive shows it. A share link may leave facts of the original out. */
export type ShownCapture = SharedCapture;

/** Access of the archive to one camera at one location: with a member's session, or with the token of a share link. */
export interface ArchivePort {
  /** The gaps of the archive, or of a range of it. */
  timeline(range?: { fromUtc: string; toUtc: string }): Promise<SharedCameraTimeline>;
  times(range: { fromUtc?: string; toUtc?: string }): Promise<CaptureTimes>;
  /** The capture nearest to a moment; null if the archive is empty. */
  seek(atUtc: string): Promise<ShownCapture | null>;
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

/** The visible part of a picture: its scale, and the shares of the width and the height at which its middle is. */
export interface ZoomPlace {
  scale: number;
  x: number;
  y: number;
}

/** The state of an archive that its address keeps. */
export interface ArchiveAddress {
  /** The time of the frame, the span of the ruler, and the compared time, milliseconds. */
  t: number | null;
  span: number | null;
  before: number | null;
  /** Whether times are shown by the clock of the viewer, and not by the clock of the camera. */
  ownClock: boolean;
  /** Null for the whole picture. */
  zoom: ZoomPlace | null;
  /** The time of day of the day strip, minutes after midnight; null for the picture's time of day. */
  daily: number | null;
}

/** The state of an archive that opens at its latest picture. */
export const LATEST: ArchiveAddress = {
  t: null,
  span: null,
  before: null,
  ownClock: false,
  zoom: null,
  daily: null,
};
