/** What can be raised, and how grave it is unless it says otherwise. */
export const NOTIFICATION_TYPES = [
  "document-uploaded",
  "membership-given",
  "grant-given",
  "report-pdf-ready",
  "report-pdf-failed",
  "storage-low",
  "storage-full",
  "export-ready",
  "capture-rejected",
  "camera-silent",
  "camera-back",
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export const SEVERITIES = ["info", "warning", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a notification can point to; each needs Read of one capability there to be seen. */
export const ORIGIN_TYPES = [
  "spatial-document",
  "location",
  "cluster",
  "annotation",
  "report",
  "camera",
  "organization",
] as const;
export type OriginType = (typeof ORIGIN_TYPES)[number];
