import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";
import type { WorkspaceEvent } from "../platform/events";

const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>();

/** Why the service has switched a webhook off. Null of the row: a person did. */
export const DISABLED_REASONS = ["gone", "dead", "full", "subscriber-left", "secret-unreadable"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const webhooks = workspaceTable("webhooks", {
  id: text().primaryKey(),
  organizationId: text("organization_id").notNull(),
  name: text().notNull(),
  url: text().notNull(),
  types: json<string[]>("types").notNull(),
  subscriberId: text("subscriber_id").notNull(),
  secret: text().notNull(),
  formerSecret: text("former_secret"),
  formerUntil: integer("former_until"),
  isEnabled: integer("is_enabled", { mode: "boolean" }).notNull(),
  disabledReason: text("disabled_reason", { enum: DISABLED_REASONS }),
  disabledAt: integer("disabled_at"),
  failures: integer().notNull().default(0),
  failingSince: integer("failing_since"),
  pausedUntil: integer("paused_until").notNull().default(0),
  lastSuccessAt: integer("last_success_at"),
  nextAt: integer("next_at"),
  revision: integer().notNull().default(1),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
export type WebhookRow = typeof webhooks.$inferSelect;

/** `withheld`: the subscriber may not see the subject, or it does not exist any more, so nothing was sent. */
export const DELIVERY_STATUSES = ["pending", "succeeded", "failed", "withheld"] as const;

/** One try of a delivery. */
export interface Attempt {
  /** Milliseconds since the epoch, and the duration in milliseconds. */
  at: number;
  ms: number;
  /** The status of the answer; null without one. */
  status: number | null;
  /** What went wrong; null after a success. */
  fault: string | null;
}

/** The beginning of an answer. */
export interface Answer {
  status: number;
  contentType: string | null;
  body: string;
}

export const webhookDeliveries = workspaceTable(
  "webhook_deliveries",
  {
    webhookId: text("webhook_id").notNull(),
    id: text().notNull(),
    organizationId: text("organization_id").notNull(),
    type: text().notNull(),
    event: json<WorkspaceEvent>("event"),
    body: text(),
    status: text({ enum: DELIVERY_STATUSES }).notNull(),
    tries: integer().notNull().default(0),
    nextAt: integer("next_at").notNull(),
    /** A random text of the worker that sends it. */
    claimedBy: text("claimed_by"),
    attempts: json<Attempt[]>("attempts")
      .notNull()
      .$default(() => []),
    answer: json<Answer>("answer"),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (t) => [primaryKey({ columns: [t.webhookId, t.id] })],
);
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
