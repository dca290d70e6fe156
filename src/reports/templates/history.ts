import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { people } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { MAX_TEMPLATE_HISTORY_BYTES, MAX_TEMPLATE_REVISIONS } from "../limits";
import { reportTemplateRevisions, reportTemplates } from "../tables";
import { requireReadableTemplate, type TemplateRow, templateSchema } from "./template";

/*
 * The history of a template. Its row is the present revision. A write copies the row to `report_template_revisions` first, so
 * a template that never changed has no history.
 */

const of = reportTemplateRevisions;

export const listedRevisionSchema = z
  .object({
    revision: z.int(),
    displayName: z.string(),
    isCurrent: z.boolean(),
    savedBy: idSchema.nullable().openapi({ description: "Null if it is not known." }),
    savedByName: z.string().nullable().openapi({ description: "Null if the person deleted their account." }),
    savedAtUtc: utcSchema,
  })
  .openapi("ReportTemplateRevisionSummary");

export const revisionSchema = listedRevisionSchema
  .extend(
    templateSchema.pick({
      htmlLayoutTemplate: true,
      cssStylesheetTemplate: true,
      cssMediaType: true,
      contentTemplateJson: true,
      bodyFieldPath: true,
      attachesData: true,
    }).shape,
  )
  .openapi("ReportTemplateRevision");

/** Who saved the present revision; null if it is not known. */
const saverOf = ({ revision, createdBy, updatedBy }: TemplateRow): string | null =>
  revision === 1 ? createdBy : updatedBy;

/** Copies the present revision to the history. The change that follows guards that it is still the same. */
export function keepRevision(change: Change, row: TemplateRow): void {
  const bytes = (name: string): SQL => sql.raw(`length(CAST(${name} AS BLOB))`);
  change.add(sql`INSERT INTO ${of} (template_id, revision, display_name, saved_by, saved_at, size_bytes,
      html_layout_template, css_stylesheet_template, css_media_type, content_template_json, body_field_path, attaches_data)
    SELECT id, revision, display_name, iif(revision = 1, created_by, updated_by), updated_at,
      ${bytes("html_layout_template")} + ${bytes("css_stylesheet_template")} + ${bytes("content_template_json")},
      html_layout_template, css_stylesheet_template, css_media_type, content_template_json, body_field_path, attaches_data
    FROM ${reportTemplates} WHERE id = ${row.id} AND revision = ${row.revision} AND deleted_at IS NULL`);
}

/** Removes the oldest revisions that the limits do not allow. */
export function trimHistory(change: Change, templateId: string): void {
  change.add(sql`DELETE FROM ${of} WHERE template_id = ${templateId} AND revision IN (SELECT revision FROM (
      SELECT revision, row_number() OVER newest AS place, sum(size_bytes) OVER newest AS bytes
      FROM ${of} WHERE template_id = ${templateId} WINDOW newest AS (ORDER BY revision DESC)
    ) WHERE place > ${MAX_TEMPLATE_REVISIONS} OR bytes > ${MAX_TEMPLATE_HISTORY_BYTES})`);
}

const revisionKey = z.tuple([z.int()]);

/** The condition that joins the name of a person. */
const isSaver = (column: typeof of.savedBy | SQL) => and(eq(people.id, column), isNull(people.deletedAt));

/** The present revision, with the name of the person. */
async function currentOf({ workspace }: Context, row: TemplateRow) {
  const savedBy = saverOf(row);
  const found =
    savedBy === null
      ? []
      : await workspace
          .select({ name: people.displayName })
          .from(people)
          .where(and(eq(people.id, savedBy), isNull(people.deletedAt)));
  const { revision, displayName, updatedAt: savedAt } = row;
  return { revision, displayName, savedBy, savedByName: found[0]?.name ?? null, savedAt, isCurrent: true };
}

type Listed = Awaited<ReturnType<typeof currentOf>>;

const presentListed = ({ savedAt, ...rest }: Listed): z.infer<typeof listedRevisionSchema> => ({
  ...rest,
  savedAtUtc: toUtc(savedAt),
});

const beside = {
  revision: of.revision,
  displayName: of.displayName,
  savedBy: of.savedBy,
  savedByName: people.displayName,
  savedAt: of.savedAt,
};

/** Lists the revisions of a template without their sources, the newest first. @throws DomainError 401, 404. */
export async function listRevisions(context: Context, templateId: string, { limit, cursor }: PageQuery) {
  const row = await requireReadableTemplate(context, templateId);
  const [before] = readCursor(cursor, revisionKey) ?? [null];
  // The history is short, so each page reads all of it.
  const earlier = await context.workspace
    .select(beside)
    .from(of)
    .leftJoin(people, isSaver(of.savedBy))
    .where(eq(of.templateId, templateId))
    .orderBy(desc(of.revision));
  const all: Listed[] = [await currentOf(context, row), ...earlier.map((one) => ({ ...one, isCurrent: false }))];
  const rows = all.filter(({ revision }) => before === null || revision < before).slice(0, limit + 1);
  return toPage(rows, limit, ({ revision }) => [revision], presentListed);
}

/** Reads an earlier revision with its sources. */
export async function findRevision({ workspace }: Context, templateId: string, revision: number) {
  const [found] = await workspace
    .select({ row: of, savedByName: people.displayName })
    .from(of)
    .leftJoin(people, isSaver(of.savedBy))
    .where(and(eq(of.templateId, templateId), eq(of.revision, revision)));
  if (found === undefined) throw notFound();
  return found;
}

/** Gets a revision with its sources. @throws DomainError 401, 404. */
export async function getRevision(
  context: Context,
  templateId: string,
  revision: number,
): Promise<z.infer<typeof revisionSchema>> {
  const row = await requireReadableTemplate(context, templateId);
  const isCurrent = row.revision === revision;
  const found = isCurrent ? null : await findRevision(context, templateId, revision);
  const sources = found?.row ?? row;
  const listed = found === null ? await currentOf(context, row) : { ...found.row, savedByName: found.savedByName };
  return {
    revision,
    displayName: listed.displayName,
    isCurrent,
    savedBy: listed.savedBy,
    savedByName: listed.savedByName,
    savedAtUtc: toUtc(listed.savedAt),
    htmlLayoutTemplate: sources.htmlLayoutTemplate,
    cssStylesheetTemplate: sources.cssStylesheetTemplate,
    cssMediaType: sources.cssMediaType,
    contentTemplateJson: sources.contentTemplateJson,
    bodyFieldPath: sources.bodyFieldPath,
    attachesData: sources.attachesData,
  };
}
