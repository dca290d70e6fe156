import { newIdIn } from "../../src/platform/ids";
import { reportJobs, reports, reportTemplates } from "../../src/reports/tables";
import type { Tenant } from "./factories";
import { testDatabase } from "./statements";

const tenantColumns = (tenant: Tenant) =>
  "organizationId" in tenant
    ? { tenantId: tenant.organizationId, organizationId: tenant.organizationId }
    : { tenantId: tenant.ownerUserId, organizationId: null };

/** Writes a report template directly into the database. */
export async function mintTemplate(
  tenant: Tenant,
  overrides: Partial<typeof reportTemplates.$inferInsert> = {},
  database = testDatabase(),
): Promise<{ id: string; key: string }> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  const row = {
    id,
    ...tenantColumns(tenant),
    key: `template-${id}`,
    displayName: "Template",
    htmlLayoutTemplate: "<main>{{body_html}}</main>",
    cssStylesheetTemplate: "",
    cssMediaType: "text/css",
    contentTemplateJson: { body: "# Heading" },
    bodyFieldPath: "body",
    createdAt: now,
    updatedAt: now,
    ...overrides,
  };
  await database.insert(reportTemplates).values(row);
  return { id: row.id, key: row.key };
}

/** Creates a report with a new template, unless `overrides` name one. */
export async function mintReport(
  tenant: Tenant,
  location: { id: string; clusterId: string },
  overrides: Partial<typeof reports.$inferInsert> = {},
  database = testDatabase(),
): Promise<string> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  const templateId = overrides.templateId ?? (await mintTemplate(tenant, {}, database)).id;
  await database.insert(reports).values({
    id,
    ...tenantColumns(tenant),
    clusterId: location.clusterId,
    locationId: location.id,
    title: "Report",
    contentJson: { body: "# Heading" },
    createdAt: now,
    updatedAt: now,
    ...overrides,
    templateId,
  });
  return id;
}

/** Writes a PDF job (default: a failed one) without a message to a queue. */
export async function mintReportJob(
  tenant: Tenant,
  reportId: string,
  requestedBy: string,
  overrides: Partial<typeof reportJobs.$inferInsert> = {},
): Promise<string> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  const { tenantId } = tenantColumns(tenant);
  const ended = { status: "failed" as const, errorCode: "print-deadline", errorDetail: "Too slow.", finishedAt: now };
  const state = overrides.status === undefined ? ended : { status: overrides.status };
  await testDatabase()
    .insert(reportJobs)
    .values({ id, reportId, tenantId, ...state, inputDigest: "none", requestedBy, createdAt: now, ...overrides });
  return id;
}
