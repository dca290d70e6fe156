import { asc, getTableColumns, isNull, sql } from "drizzle-orm";
import { idsInScope, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idKey } from "../../workspace";
import { reportTemplates } from "../tables";
import { presentTemplate } from "./fields";
import { templateTenants } from "./find";

/** The templates that the caller may read, their own and those of organizations, in order of id. */
export async function listTemplates(context: Context, { limit, cursor }: PageQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(cursor, idKey) ?? [null];
  const scope = { tenants: templateTenants(caller), clusters: [], locations: [], documents: [] };
  const ids = idsInScope(
    scope,
    {
      table: reportTemplates,
      id: reportTemplates.id,
      columns: { tenantId: reportTemplates.tenantId },
      where: isNull(reportTemplates.deletedAt),
    },
    { after, limit: limit + 1 },
  );
  const { htmlLayoutTemplate, cssStylesheetTemplate, contentTemplateJson, ...columns } =
    getTableColumns(reportTemplates);
  const rows = await context.db
    .select(columns)
    .from(reportTemplates)
    .where(sql`${reportTemplates.id} IN (${ids})`)
    .orderBy(asc(reportTemplates.id));
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => {
      const {
        htmlLayoutTemplate: _,
        cssStylesheetTemplate: __,
        contentTemplateJson: ___,
        ...shown
      } = presentTemplate({
        ...row,
        htmlLayoutTemplate: "",
        cssStylesheetTemplate: "",
        contentTemplateJson: {},
      });
      return shown;
    },
  );
}
