import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { hexBlob, uuidBlob } from "../platform/db/columns";
import { workspaceTable } from "../platform/db/sides";
import { archiveColumns, settingColumns } from "./settings";
import type { CaptureWindow } from "./window";

const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>();

/** The last heartbeat of a device; times in milliseconds since the epoch, sizes in bytes. */
export interface DeviceReport {
  appliedRevision: number;
  lastCaptureAt: number | null;
  queueCount: number;
  queueBytes: number;
  freeBytes: number;
  oldestPendingAt: number | null;
  errorCode: string | null;
  /** The instances that reported last, the newest first. */
  instances?: DeviceInstance[];
  /** When two instances were last seen to take turns. */
  sharedAt?: number;
}

/** A running device program, and when a heartbeat of it was last stored. */
interface DeviceInstance {
  id: string;
  at: number;
}

export const CLOCK_QUALITIES = ["synchronized", "estimated"] as const;

export const cameras = workspaceTable("cameras", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id").notNull(),
  locationId: text("location_id"),
  ...settingColumns,
  expiredUntil: integer("expired_until").notNull().default(0),
  revision: integer().notNull().default(1),
  assignmentGeneration: integer("assignment_generation").notNull().default(1),
  revokedAt: integer("revoked_at"),
  retiredAt: integer("retired_at"),
  lastSeenAt: integer("last_seen_at"),
  lastCaptureAt: integer("last_capture_at"),
  lastAcceptedAt: integer("last_accepted_at"),
  admitted: json<number[]>("admitted")
    .notNull()
    .$default(() => []),
  device: json<DeviceReport>("device"),
  watermark: integer().notNull().default(0),
  identicalFrames: integer("identical_frames").notNull().default(0),
  expiresAt: integer("expires_at"),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const cameraAssignments = workspaceTable(
  "camera_assignments",
  {
    cameraId: text("camera_id").notNull(),
    generation: integer().notNull(),
    locationId: text("location_id").notNull(),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    ...archiveColumns,
  },
  (t) => [primaryKey({ columns: [t.cameraId, t.generation] })],
);

/**
 * SQL for the name of a camera at a location, in a statement over `cameras`. After the camera left, it is the name that it
 * had then, so that people who see only that location do not learn of later changes.
 */
export const nameAtLocation = (
  locationId: string | SQLWrapper,
): SQL<string> => sql`coalesce((SELECT assignment.camera_name
  FROM camera_assignments AS assignment WHERE assignment.camera_id = cameras.id AND assignment.location_id = ${locationId}
  ORDER BY assignment.generation DESC LIMIT 1), cameras.name)`;

/** A camera at a location. Triggers write the rows. */
export const cameraPlaces = workspaceTable("camera_places", {
  place: integer().primaryKey(),
  cameraId: text("camera_id").notNull(),
  locationId: text("location_id").notNull(),
  tenantId: text("tenant_id").notNull(),
});

/** The parts of the captures of a camera place, in the column `section`. */
export const PART = { archive: 0, open: 1, aside: 2 } as const;

const FRAME_STATUSES = ["pending", "verifying", "completed", "rejected", "expired", "cancelled"] as const;

/** One row for each announced image, from its announcement to its removal. */
export const cameraFrames = workspaceTable(
  "camera_frames",
  {
    place: integer().notNull(),
    part: integer("section").$type<(typeof PART)[keyof typeof PART]>().notNull(),
    capturedAt: integer("captured_at").notNull(),
    id: text().notNull(),
    operation: uuidBlob("operation").notNull(),
    announcedId: text("announced_id"),
    generation: integer().notNull(),
    status: text({ enum: FRAME_STATUSES }).notNull(),
    isAbandoned: integer("is_abandoned", { mode: "boolean" }).notNull().default(false),
    dueAt: integer("due_at"),
    receivedAt: integer("received_at").notNull(),
    finishedAt: integer("finished_at"),
    isEstimated: integer("is_estimated", { mode: "boolean" }).notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    checksum: hexBlob("checksum").notNull(),
    chargedBytes: integer("charged_bytes").notNull().default(0),
    crc32: integer(),
    width: integer(),
    height: integer(),
    previewWidth: integer("preview_width"),
    previewHeight: integer("preview_height"),
    tolerated: json<string[]>("tolerated"),
    reasonCode: text("reason_code"),
    reasonDetail: text("reason_detail"),
    heldAt: integer("held_at"),
    deletedAt: integer("deleted_at"),
  },
  (t) => [primaryKey({ columns: [t.place, t.part, t.capturedAt, t.id, t.operation] })],
);

/** A view: the published images, which are neither deleted nor rejected. An insert adds a capture. */
export const cameraCaptures = workspaceTable("camera_captures", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id").notNull(),
  cameraId: text("camera_id").notNull(),
  locationId: text("location_id").notNull(),
  place: integer()
    .notNull()
    .$default(() => 0),
  assignmentGeneration: integer("assignment_generation").notNull(),
  operationId: text("operation_id").notNull(),
  capturedAt: integer("captured_at").notNull(),
  receivedAt: integer("received_at").notNull(),
  completedAt: integer("completed_at").notNull(),
  clockQuality: text("clock_quality", { enum: CLOCK_QUALITIES }).notNull(),
  sizeBytes: integer("size_bytes").notNull(),
  checksumSha256: text("checksum_sha256").notNull(),
  crc32: integer().notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  previewWidth: integer("preview_width").notNull(),
  previewHeight: integer("preview_height").notNull(),
  tolerated: json<string[]>("tolerated").notNull(),
});

export const cameraShares = workspaceTable("camera_shares", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id").notNull(),
  locationId: text("location_id").notNull(),
  name: text().notNull(),
  cameraIds: json<string[]>("camera_ids").notNull(),
  secretHash: text("secret_hash").notNull(),
  passcodeHash: text("passcode_hash"),
  shownFrom: integer("shown_from"),
  shownUntil: integer("shown_until"),
  hidesMetadata: integer("hides_metadata", { mode: "boolean" }).notNull().default(true),
  showsGapCauses: integer("shows_gap_causes", { mode: "boolean" }).notNull().default(true),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  expiresAt: integer("expires_at"),
  revokedAt: integer("revoked_at"),
  lastUsedAt: integer("last_used_at"),
});

export const cameraEnrollments = workspaceTable("camera_enrollments", {
  id: text().primaryKey(),
  cameraId: text("camera_id").notNull(),
  codeHash: text("code_hash").notNull(),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  endedAt: integer("ended_at"),
  redeemedAt: integer("redeemed_at"),
  redemptionId: text("redemption_id"),
  credentialId: text("credential_id"),
});

export const cameraCredentials = workspaceTable("camera_credentials", {
  id: text().primaryKey(),
  cameraId: text("camera_id").notNull(),
  secretHash: text("secret_hash").notNull(),
  createdAt: integer("created_at").notNull(),
  revokedAt: integer("revoked_at"),
});

/** Why no images arrive although they are due: the device sends nothing, or it sends heartbeats and no images. */
export const SILENCES = ["offline", "camera-fault"] as const;
export type Silence = (typeof SILENCES)[number];

export const cameraHealth = workspaceTable("camera_health", {
  cameraId: text("camera_id").primaryKey(),
  checkAt: integer("check_at"),
  watchedSince: integer("watched_since"),
  silence: text({ enum: SILENCES }),
  silentSince: integer("silent_since"),
  notifiedAt: integer("notified_at"),
  recoveredAt: integer("recovered_at"),
  revision: integer().notNull().default(0),
});

export const CONDITIONS = ["paused", "window", ...SILENCES] as const;
export type ConditionKind = (typeof CONDITIONS)[number];

export interface ConditionDetail {
  errorCode?: string | null;
  captureWindow?: CaptureWindow;
  timeZone?: string;
}

export const cameraConditions = workspaceTable(
  "camera_conditions",
  {
    cameraId: text("camera_id").notNull(),
    kind: text({ enum: CONDITIONS }).notNull(),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    detail: text({ mode: "json" }).$type<ConditionDetail>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.cameraId, t.kind, t.startedAt] })],
);

export const cameraCleanups = workspaceTable("camera_cleanups", {
  id: text().primaryKey(),
  organizationId: text("organization_id").notNull(),
  locationId: text("location_id").notNull(),
  locationName: text("location_name").notNull(),
  cameraId: text("camera_id").notNull(),
  cameraName: text("camera_name").notNull(),
  retired: integer({ mode: "boolean" }).notNull(),
  requestedAt: integer("requested_at").notNull(),
  capturesRemoved: integer("captures_removed").notNull().default(0),
  bytesRemoved: integer("bytes_removed").notNull().default(0),
  finishedAt: integer("finished_at"),
});
