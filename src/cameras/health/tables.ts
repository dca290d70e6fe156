import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CaptureWindow } from "../window";

/** Why no images come although they are due: nothing is heard of the device, or it is heard and sends none. */
export const SILENCES = ["offline", "camera-fault"] as const;
export type Silence = (typeof SILENCES)[number];

export const cameraHealth = sqliteTable("camera_health", {
  cameraId: text("camera_id").primaryKey(),
  checkAt: integer("check_at"),
  watchedSince: integer("watched_since"),
  lastAcceptedAt: integer("last_accepted_at"),
  silence: text({ enum: SILENCES }),
  silentSince: integer("silent_since"),
  toldAt: integer("told_at"),
  backAt: integer("back_at"),
  touched: integer().notNull().default(0),
});

export const CONDITIONS = ["paused", "window", ...SILENCES] as const;
export type ConditionKind = (typeof CONDITIONS)[number];

export interface ConditionDetail {
  errorCode?: string | null;
  captureWindow?: CaptureWindow;
  timeZone?: string;
}

export const cameraConditions = sqliteTable(
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
