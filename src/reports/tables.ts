import { type SQL, sql } from "drizzle-orm";
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { workspaceTable } from "../platform/db/sides";

const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>();

/** The free-form JSON of a draft or a skeleton. Its limits are checked in requests. */
export type Content = { [key: string]: unknown };

export const reportTemplates = workspaceTable("report_templates", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  key: text().notNull(),
  displayName: text("display_name").notNull(),
  htmlLayoutTemplate: text("html_layout_template").notNull(),
  cssStylesheetTemplate: text("css_stylesheet_template").notNull(),
  cssMediaType: text("css_media_type").notNull(),
  contentTemplateJson: json<Content>("content_template_json").notNull(),
  bodyFieldPath: text("body_field_path"),
  attachesData: integer("attaches_data", { mode: "boolean" }).notNull().default(false),
  revision: integer().notNull().default(1),
  createdBy: text("created_by"),
  updatedBy: text("updated_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
  /** The names of the partials that its sources use; null for none. */
  partials: json<string[]>("partials"),
});

/** Parts that the templates of an organization share. */
export const reportPartials = workspaceTable(
  "report_partials",
  {
    organizationId: text("organization_id").notNull(),
    name: text().notNull(),
    /** The names of the partials that its source uses; null for none. */
    partials: json<string[]>("partials"),
    revision: integer().notNull().default(1),
    createdBy: text("created_by"),
    updatedBy: text("updated_by"),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    source: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.name] })],
);

/** The earlier revisions of templates. */
export const reportTemplateRevisions = workspaceTable(
  "report_template_revisions",
  {
    templateId: text("template_id").notNull(),
    revision: integer().notNull(),
    displayName: text("display_name").notNull(),
    savedBy: text("saved_by"),
    savedAt: integer("saved_at").notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    htmlLayoutTemplate: text("html_layout_template").notNull(),
    cssStylesheetTemplate: text("css_stylesheet_template").notNull(),
    cssMediaType: text("css_media_type").notNull(),
    contentTemplateJson: json<Content>("content_template_json").notNull(),
    bodyFieldPath: text("body_field_path"),
    attachesData: integer("attaches_data", { mode: "boolean" }).notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.templateId, t.revision] })],
);

export const reports = workspaceTable("reports", {
  id: text().primaryKey(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  clusterId: text("cluster_id").notNull(),
  locationId: text("location_id").notNull(),
  templateId: text("template_id").notNull(),
  title: text().notNull(),
  contentJson: json<Content>("content_json").notNull(),
  revision: integer().notNull().default(1),
  pdfDocumentId: text("pdf_document_id"),
  pdfVersion: integer("pdf_version"),
  pdfJobId: text("pdf_job_id"),
  pdfGeneratedAt: integer("pdf_generated_at"),
  roomOpenedAt: integer("room_opened_at"),
  createdBy: text("created_by"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  deletedAt: integer("deleted_at"),
});

/** The report is not deleted. Its location may be deleted. Use it in each statement that reads reports for people. */
export const reportNotDeleted = (row = "reports"): SQL => sql.raw(`${row}.deleted_at IS NULL`);

export const REPORT_JOB_STATUSES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;

export const reportJobs = workspaceTable("report_jobs", {
  id: text().primaryKey(),
  reportId: text("report_id").notNull(),
  tenantId: text("tenant_id").notNull(),
  status: text({ enum: REPORT_JOB_STATUSES }).notNull(),
  progressDone: integer("progress_done").notNull().default(0),
  progressTotal: integer("progress_total").notNull().default(0),
  errorCode: text("error_code"),
  errorDetail: text("error_detail"),
  inputDigest: text("input_digest").notNull(),
  /** A `ReportInput`; parsed with its schema when it is read. */
  snapshot: json<unknown>("snapshot"),
  missingImages: json<unknown>("missing_images"),
  warnings: json<unknown>("warnings"),
  documentId: text("document_id"),
  documentVersion: integer("document_version"),
  requestedBy: text("requested_by").notNull(),
  createdAt: integer("created_at").notNull(),
  startedAt: integer("started_at"),
  finishedAt: integer("finished_at"),
});

/** A job that has not ended. The statuses are text, because SQLite does not use a partial index for parameters. */
export const isOpenJob = sql`${reportJobs.status} IN ('queued', 'running')`;

export const reportImages = workspaceTable(
  "report_images",
  {
    documentId: text("document_id").notNull(),
    version: integer().notNull(),
    edge: integer().notNull(),
    objectKey: text("object_key").notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    sizeBytes: integer("size_bytes").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.documentId, t.version, t.edge] })],
);

export const reportRoomMembers = workspaceTable(
  "report_room_members",
  {
    reportId: text("report_id").notNull(),
    userId: text("user_id").notNull(),
    locationId: text("location_id").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.reportId, t.userId] })],
);

export const reportChanges = workspaceTable(
  "report_changes",
  {
    reportId: text("report_id").notNull(),
    revision: integer().notNull(),
    /** A `Delta`; parsed with its schema when it is read. */
    delta: json<unknown>("delta").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.reportId, t.revision] })],
);
