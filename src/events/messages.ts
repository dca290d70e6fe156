import type { Capability, Level } from "../platform/capabilities";
import type { Context } from "../platform/context";
import type { WorkspaceEvent } from "../platform/events";
import type { ReaderLanguage } from "../platform/languages/languages";

/** Types of notifications. */
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
  "organization-deleted",
  "organization-removed",
  "database-level",
  "webhook-disabled",
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export const SEVERITIES = ["info", "warning", "error"] as const;
type Severity = (typeof SEVERITIES)[number];

/** Kinds of origins. A user sees the message only with Read of the origin's capability. */
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

/** The possible recipients of a message, before their access is checked. */
export type Audience =
  | { kind: "users"; userIds: string[] }
  | { kind: "administrators"; organizationId: string }
  /** Users with at least `level` of a capability at a location. */
  | {
      kind: "location";
      locationId: string;
      clusterId: string;
      organizationId: string | null;
      tenantId: string;
      capability: Capability;
      level: Level;
    }
  | {
      kind: "document";
      documentId: string;
      locationId: string;
      clusterId: string;
      organizationId: string | null;
      tenantId: string;
    };

/** The message of an event, for users. */
export interface Message {
  type: NotificationType;
  severity: Severity;
  /** The title and the body in the language of a reader. */
  text(language: ReaderLanguage): { title: string; body: string };
  origin: { type: OriginType; id: string; data: Record<string, unknown> } | null;
  organizationId: string | null;
  clusterId: string | null;
  locationId: string | null;
  documentId: string | null;
  audience: Audience;
  /** The user who caused the event. They do not get the message. */
  actorUserId: string | null;
}

export type EventOf<T extends WorkspaceEvent["type"]> = Extract<WorkspaceEvent, { type: T }>;

/**
 * The messages of a feature's events. Each entry reads names and contents when the event is delivered. It returns null
 * when the subject no longer exists.
 */
export type MessagesOf<T extends WorkspaceEvent["type"]> = {
  readonly [K in T]: (context: Context, event: EventOf<K>) => Promise<Message | null>;
};

/** The messages of all features. An event without an entry has no message. */
export type Messages = Partial<MessagesOf<WorkspaceEvent["type"]>>;

/** The place of a message that belongs to no place. */
export const NOWHERE = { organizationId: null, clusterId: null, locationId: null, documentId: null };
