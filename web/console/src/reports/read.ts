import { REPORTS } from "#texts/reports.ts";
import {
  dataOf,
  eachItem,
  type Location,
  ProblemError,
  type Report,
  type ReportSummary,
  type ReportTemplate,
  type ReportTemplateSummary,
} from "../../../../client/src/index.ts";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { collect } from "../platform/listed.ts";
import { api } from "../platform/session.ts";

const PAGE_SIZE = 100;

const newestFirst = (reports: ReportSummary[]): ReportSummary[] =>
  reports.sort((a, b) => Date.parse(b.updatedAtUtc) - Date.parse(a.updatedAtUtc));

/** The reports of a workspace, newest change first. `organizationId` is an organization's id or `personal`. */
export const readReports = async (organizationId: string): Promise<ReportSummary[]> =>
  newestFirst(
    await collect(
      eachItem((cursor) =>
        dataOf(api.GET("/v1/reports", { params: { query: { organizationId, limit: PAGE_SIZE, cursor } } })),
      ),
    ),
  );

/** The reports of a location, newest change first. */
export const readReportsOf = async (locationId: string): Promise<ReportSummary[]> =>
  newestFirst(
    await collect(
      eachItem((cursor) =>
        dataOf(
          api.GET("/v1/reports/locations/{locationId}", {
            params: { path: { locationId }, query: { limit: PAGE_SIZE, cursor } },
          }),
        ),
      ),
    ),
  );

/** The locations of a workspace whose reports the person may read. */
export async function readPlaces(organizationId: string): Promise<Location[]> {
  const all = await collect(
    eachItem((cursor) =>
      dataOf(api.GET("/v1/spatial/locations", { params: { query: { organizationId, limit: PAGE_SIZE, cursor } } })),
    ),
  );
  return all.filter(({ capabilities }) => capabilities.Reports !== "None");
}

export const readTemplates = (): Promise<ReportTemplateSummary[]> =>
  collect(
    eachItem((cursor) => dataOf(api.GET("/v1/reports/templates", { params: { query: { limit: PAGE_SIZE, cursor } } }))),
  );

type TemplateName = Pick<ReportTemplateSummary, "key" | "organizationId">;

/** A template with its sources. A person's own template has priority over one of an organization with the same key. */
export const readTemplate = ({ key, organizationId }: TemplateName): Promise<ReportTemplate> =>
  dataOf(
    api.GET("/v1/reports/templates/{template}", {
      params: { path: { template: key }, query: { ...(organizationId !== null && { organizationId }) } },
    }),
  );

/** The template of a report; null when it was deleted or the person may not read it. */
export async function templateOf(
  report: Pick<Report, "templateId" | "templateKey" | "organizationId">,
): Promise<ReportTemplate | null> {
  const { templateId, templateKey: key, organizationId } = report;
  for (const place of new Set([organizationId, null]))
    try {
      const found = await readTemplate({ key, organizationId: place });
      if (found.id === templateId) return found;
    } catch (thrown) {
      if (!(thrown instanceof ProblemError)) throw thrown;
    }
  return null;
}

export const readReport = (reportId: string): Promise<Report> =>
  dataOf(api.GET("/v1/reports/{reportId}", { params: { path: { reportId } } }));

/** Renames a report. The draft does not change, even while people edit it. */
export async function renameReport(reportId: string, title: string): Promise<void> {
  const { contentJson, revision: baseRevision } = await readReport(reportId);
  const params = { path: { reportId } };
  await dataOf(api.PUT("/v1/reports/{reportId}", { params, body: { contentJson, title, baseRevision } }));
}

/** Deletes a report, and offers to undo that. @param changed is called after the deletion, and after the undo */
export async function deleteReport(
  { id: reportId, title }: Pick<ReportSummary, "id" | "title">,
  changed: () => void,
): Promise<void> {
  const params = { path: { reportId } };
  const undo = async () => {
    try {
      await dataOf(api.POST("/v1/reports/{reportId}/restore", { params }));
      say(REPORTS.restored(title));
      changed();
    } catch (thrown) {
      sayFailed(REPORTS.restoreFailed, thrown, undo);
    }
  };
  await dataOf(api.DELETE("/v1/reports/{reportId}", { params }));
  say(REPORTS.removed(title), undo);
  changed();
}
