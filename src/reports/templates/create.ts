import { sql } from "drizzle-orm";
import { type Place, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isUniqueViolation } from "../../platform/db/failures";
import { DomainError, notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { fewerThan, noRoom, organizationExists } from "../../workspace";
import { MOST_TEMPLATES } from "../limits";
import { reportTemplates } from "../tables";
import { parseTemplate } from "../templating/parse";
import { type NewTemplate, presentTemplate, type TemplateRow } from "./fields";
import { requireTemplateOwner } from "./find";

/** Refuses sources that do not parse. @throws DomainError template-invalid with line and column. */
export function requireSources(given: Pick<NewTemplate, "htmlLayoutTemplate" | "cssStylesheetTemplate">): void {
  parseTemplate("htmlLayoutTemplate", given.htmlLayoutTemplate);
  parseTemplate("cssStylesheetTemplate", given.cssStylesheetTemplate);
}

export const keyTaken = (): DomainError =>
  new DomainError("already-exists", "There is a template with this key. Choose another, or change that one.");

/**
 * Makes a template of the caller's own (organizationId null), or of an organization, for its owners and
 * admins. @throws DomainError 401, 403, 404, 409 already-exists, 422 template-invalid.
 */
export async function createTemplate(context: Context, organizationId: string | null, given: NewTemplate) {
  const { userId } = requireUser(context);
  const place: Place = { tenantId: organizationId ?? userId, organizationId };
  requireTemplateOwner(context, place);
  requireSources(given);
  const row: TemplateRow = {
    id: newId(),
    tenantId: place.tenantId,
    organizationId,
    ...given,
    revision: 1,
    createdBy: userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
  };
  const change = beginChange(context);
  if (organizationId !== null) change.guard(organizationExists(organizationId), notFound());
  const others = sql`SELECT 1 FROM ${reportTemplates} WHERE ${reportTemplates.tenantId} = ${row.tenantId}
    AND ${reportTemplates.deletedAt} IS NULL`;
  change
    .guard(fewerThan(MOST_TEMPLATES, others), noRoom("This workspace", MOST_TEMPLATES))
    .add(context.db.insert(reportTemplates).values(row));
  try {
    await change.commit();
  } catch (thrown) {
    if (isUniqueViolation(thrown, "report_templates.key")) throw keyTaken();
    throw thrown;
  }
  return presentTemplate(row);
}
