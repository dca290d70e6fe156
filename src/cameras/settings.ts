import { z } from "@hono/zod-openapi";
import { integer, type SQLiteColumnBuilderBase, text } from "drizzle-orm/sqlite-core";
import { DomainError } from "../platform/errors";
import { lineSchema, textSchema } from "../platform/http/fields";
import { orNull } from "../platform/http/router";
import { timeZoneSchema } from "../platform/time";
import {
  MAX_INTERVAL_MINUTES,
  MAX_PICTURE_EDGE,
  MAX_PICTURE_PIXELS,
  MAX_RETENTION_DAYS,
  MIN_PICTURE_EDGE,
} from "./limits";
import { type CaptureWindow, captureWindowSchema } from "./window";

interface Setting<Value> {
  description: string;
  /** A valid value other than the default. */
  example: NonNullable<Value>;
  /** Value of a new camera that does not name the setting. A setting without a default is required. */
  default?: Value;
  /** The column of `cameras` with the setting. */
  column: SQLiteColumnBuilderBase;
  /** The field of the setting in the device's configuration, or null if the device does not get the setting. */
  device: string | null;
  /**
   * For a setting that readers of a location's archive see, directly or by a share link: the column of
   * `camera_assignments` that keeps its value when the camera leaves the location.
   */
  archiveColumn?: SQLiteColumnBuilderBase;
}

const setting = <S extends z.ZodType, R extends Setting<z.output<S>>>(schema: S, rest: R) => ({
  ...rest,
  schema: schema.openapi({ description: rest.description, example: rest.example }),
});

const edge = z.int().min(MIN_PICTURE_EDGE).max(MAX_PICTURE_EDGE);

/**
 * All settings of a camera. The API's schemas, the defaults, the columns, the device's configuration and the audit detail
 * follow from this table. Each change of a setting makes a new revision of the camera, and the audit entry has its new value.
 * A new setting needs a row here and its column in the migration; code that acts on its value reads it from the camera's row.
 */
export const SETTINGS = {
  name: setting(lineSchema(200), {
    description: "Name of the camera, one line.",
    example: "North gate",
    column: text().notNull(),
    device: null,
    archiveColumn: text("camera_name"),
  }),
  description: setting(textSchema(4_000), {
    description: "Free text about the camera.",
    example: "On the mast beside the north gate.",
    default: "",
    column: text().notNull().default(""),
    device: null,
  }),
  isPaused: setting(z.boolean(), {
    description: "A paused camera takes no new images. Images that wait on the device are still uploaded.",
    example: true,
    default: false,
    column: integer("is_paused", { mode: "boolean" }).notNull().default(false),
    device: "isPaused",
  }),
  captureIntervalMinutes: setting(z.int().min(1).max(MAX_INTERVAL_MINUTES), {
    description: "Minutes between two images.",
    example: 15,
    default: 20,
    column: integer("capture_interval_minutes").notNull(),
    device: "captureIntervalMinutes",
    archiveColumn: integer("capture_interval_minutes"),
  }),
  retentionDays: setting(z.int().min(1).max(MAX_RETENTION_DAYS), {
    description: "Days that an image is kept after its capture. The organization's entitlements limit them.",
    example: 90,
    default: 30,
    column: integer("retention_days").notNull(),
    device: "retentionDays",
  }),
  captureWidth: setting(edge, {
    description: `Width of an image in pixels. Width times height is at most ${MAX_PICTURE_PIXELS / 1_000_000} megapixels.`,
    example: 2_560,
    default: 1_920,
    column: integer("capture_width").notNull(),
    device: "captureWidth",
  }),
  captureHeight: setting(edge, {
    description: "Height of an image in pixels.",
    example: 1_440,
    default: 1_080,
    column: integer("capture_height").notNull(),
    device: "captureHeight",
  }),
  jpegQuality: setting(z.int().min(1).max(100), {
    description: "Quality of the JPEG encoder: 100 is the best.",
    example: 85,
    default: 90,
    column: integer("jpeg_quality").notNull(),
    device: "jpegQuality",
  }),
  timeZone: setting(timeZoneSchema, {
    description: "IANA name of the time zone in which the camera's days and its capture window are read.",
    example: "Europe/Oslo",
    default: "UTC",
    column: text("time_zone").notNull(),
    device: "timeZone",
    archiveColumn: text("time_zone"),
  }),
  captureWindow: setting(orNull(captureWindowSchema), {
    description: "Local time in which the camera takes images. Null: around the clock.",
    example: { start: "07:00", end: "19:00", daysOfWeek: [1, 2, 3, 4, 5] },
    default: null,
    column: text("capture_window", { mode: "json" }).$type<CaptureWindow>(),
    device: "captureWindow",
  }),
};

type Settings = typeof SETTINGS;
type SettingName = keyof Settings;
type NamesWith<Property extends string> = {
  [K in SettingName]: Settings[K] extends Record<Property, unknown> ? K : never;
}[SettingName];
type ArchiveSettingName = NamesWith<"archiveColumn">;
type SettingSchemas = { [K in SettingName]: Settings[K]["schema"] };
type DeviceSchemas = { [K in SettingName as NonNullable<Settings[K]["device"]>]: Settings[K]["schema"] };

/** The values of all settings. */
export type CameraSettings = { [K in SettingName]: z.output<SettingSchemas[K]> };
/** The settings that a request names. */
export type SettingChanges = { [K in SettingName]?: CameraSettings[K] | undefined };
/** The settings that a request for a new camera names. */
export type NewSettings = SettingChanges & Omit<CameraSettings, NamesWith<"default">>;
type DeviceSettings = { [K in keyof DeviceSchemas]: z.output<DeviceSchemas[K]> };

type Row = Setting<unknown> & { schema: z.ZodType };
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** One entry for each setting, in an object of the type that the caller states. Null leaves a setting out. */
const collect = <T>(entryOf: (name: SettingName, row: Row) => [string, unknown] | null): T =>
  Object.fromEntries(SETTING_NAMES.map((name) => entryOf(name, SETTINGS[name])).filter((entry) => entry !== null)) as T;

/** Columns of `cameras`. */
export const settingColumns = collect<{ [K in SettingName]: Settings[K]["column"] }>((name, { column }) => [
  name,
  column,
]);

/** Columns of `camera_assignments`, null while the camera is at the location. */
export const archiveColumns = collect<{ [K in ArchiveSettingName]: Settings[K]["archiveColumn"] }>(
  (name, { archiveColumn }) => (archiveColumn === undefined ? null : [name, archiveColumn]),
);

/** Fields of a camera that the API answers. */
export const settingFields = collect<SettingSchemas>((name, { schema }) => [name, schema]);

/** Fields of a camera that readers of an archive see. */
export const archiveFields = collect<Pick<SettingSchemas, ArchiveSettingName>>((name, { archiveColumn, schema }) =>
  archiveColumn === undefined ? null : [name, schema],
);

/** Fields of the device's configuration. */
export const deviceFields = collect<DeviceSchemas>((_, { device, schema }) =>
  device === null ? null : [device, schema],
);

type NewCameraFields = {
  [K in SettingName]: K extends NamesWith<"default"> ? z.ZodOptional<SettingSchemas[K]> : SettingSchemas[K];
};

/** Fields of a request for a new camera. */
export const newCameraFields = collect<NewCameraFields>((name, row) => {
  if (row.default === undefined) return [name, row.schema];
  const description = `${row.description} Default: ${JSON.stringify(row.default)}.`;
  return [name, row.schema.optional().openapi({ description })];
});

const DEFAULTS = collect<Pick<CameraSettings, NamesWith<"default">>>((name, row) =>
  row.default === undefined ? null : [name, row.default],
);

/** The settings of a new camera. If its retention is not set, it keeps images for at most `maxRetentionDays`. */
export const newSettings = (given: NewSettings, maxRetentionDays: number): CameraSettings => {
  const retentionDays = Math.min(DEFAULTS.retentionDays, maxRetentionDays);
  return withChanges({ ...DEFAULTS, ...given, retentionDays }, given);
};

/** The settings after a change. */
export const withChanges = (before: CameraSettings, changes: SettingChanges): CameraSettings =>
  collect((name) => [name, changes[name] === undefined ? before[name] : changes[name]]);

/** The settings that differ, with their new values, as the audit keeps them. */
export const differencesOf = (before: CameraSettings, after: CameraSettings): SettingChanges =>
  collect((name) => (JSON.stringify(before[name]) === JSON.stringify(after[name]) ? null : [name, after[name]]));

/** The settings out of a camera's row. */
export const settingsOf = (row: CameraSettings): CameraSettings => collect((name) => [name, row[name]]);

/** A camera's settings, as its device reads them. */
export const deviceSettingsOf = (row: CameraSettings): DeviceSettings =>
  collect((name, { device }) => (device === null ? null : [device, row[name]]));

const isArchived = (name: SettingName): name is ArchiveSettingName => name in archiveColumns;

/** The settings that readers of an archive see, out of a row or out of a table's columns. */
export const archiveSettingsOf = <T extends Record<ArchiveSettingName, unknown>>(of: T): Pick<T, ArchiveSettingName> =>
  collect((name) => (isArchived(name) ? [name, of[name]] : null));

/**
 * A camera's row with the settings that it had when it left an assignment's location, or with its current settings
 * while it is there. People who see only that location do not learn of later changes.
 */
export const withArchiveSettings = <T extends CameraSettings>(
  camera: T,
  assignment: { [K in ArchiveSettingName]: CameraSettings[K] | null },
): T => {
  const kept = collect<Partial<CameraSettings>>((name) =>
    isArchived(name) && assignment[name] !== null ? [name, assignment[name]] : null,
  );
  return { ...camera, ...kept };
};

/** Refuses a picture that would not be verified. @throws DomainError rule-violated. */
export function requirePicture({ captureWidth, captureHeight }: CameraSettings): void {
  if (captureWidth * captureHeight > MAX_PICTURE_PIXELS)
    throw new DomainError("rule-violated", "A picture has 24 megapixels at most. Lower captureWidth or captureHeight.");
}

/** Refuses more days than the organization's entitlements allow. @throws DomainError rule-violated. */
export function requireRetention({ retentionDays }: CameraSettings, maxDays: number): void {
  if (retentionDays > maxDays)
    throw new DomainError(
      "rule-violated",
      `This organization keeps images for ${maxDays} days at most. Lower retentionDays.`,
    );
}
