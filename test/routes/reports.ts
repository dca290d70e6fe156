import { expect } from "vitest";
import { newId } from "../../src/platform/ids";
import { call } from "../support/call";
import { mintLocation } from "../support/factories";
import { mintReport, mintReportJob, mintTemplate } from "../support/reports";
import type { Built, RouteRow } from "./row";
import { remove } from "./workspace";
import { named, SECRET, type World } from "./world";

const newTemplate = () => ({
  key: `site-${newId()}`,
  displayName: named.name,
  htmlLayoutTemplate: "<main>{{body_html}}</main>",
  contentTemplateJson: { body: "Nothing yet." },
  bodyFieldPath: "body",
});

async function onReport(world: World): Promise<Built> {
  const location = await mintLocation(world.tenant, named);
  const reportId = await mintReport(world.tenant, location, { title: named.name, contentJson: { body: SECRET } });
  return { params: { reportId } };
}

/** An older job is first in the queue, so that no browser starts for the new jobs. */
async function onWaitingReport(world: World): Promise<Built> {
  const { params } = await onReport(world);
  await mintReportJob(world.tenant, params?.reportId ?? "", world.owner.userId, { status: "queued" });
  return { ...(params && { params }) };
}

async function onReportJob(world: World): Promise<Built> {
  const { params } = await onReport(world);
  return { params: { jobId: await mintReportJob(world.tenant, params?.reportId ?? "", world.owner.userId) } };
}

async function onQueuedJob(world: World): Promise<Built> {
  const { params } = await onReport(world);
  const of = [world.tenant, params?.reportId ?? "", world.owner.userId] as const;
  return { params: { jobId: await mintReportJob(...of, { status: "queued" }) } };
}

const onTemplate = async (world: World): Promise<Built> => ({
  params: { template: (await mintTemplate(world.tenant, { displayName: named.name })).id },
});

const PARTIALS = "/v1/reports/partials/organizations";

async function onPartial(world: World): Promise<Built> {
  const { organizationId } = world;
  const name = `head-${newId()}`;
  const body = { source: `<p>${named.name}</p>` };
  const answer = await call("PUT", `${PARTIALS}/${organizationId}/${name}`, { ...world.owner, body });
  expect(answer.status).toBe(200);
  return { params: { organizationId, name } };
}

export const reportRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/reports/partials/organizations/:organizationId",
    who: "user",
    request: async (world) => {
      await onPartial(world);
      return { params: { organizationId: world.organizationId } };
    },
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/reports/partials/organizations/:organizationId/:name",
    who: "user",
    request: onPartial,
    status: 200,
  },
  {
    route: "PUT /v1/reports/partials/organizations/:organizationId/:name",
    who: "organization-admin",
    request: async (world) => ({ ...(await onPartial(world)), body: { source: "<p>Another</p>" } }),
    status: 200,
    audited: ["report-partial.updated"],
  },
  {
    route: "DELETE /v1/reports/partials/organizations/:organizationId/:name",
    who: "organization-admin",
    request: onPartial,
    status: 204,
    audited: ["report-partial.deleted"],
  },
  { route: "GET /v1/reports/templates", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "GET /v1/reports/templates/:template",
    who: "user",
    request: async (world) => ({
      params: { template: (await mintTemplate(world.tenant, { displayName: named.name })).key },
      query: `organizationId=${world.organizationId}`,
      places: [world.organizationId],
    }),
    status: 200,
  },
  {
    route: "POST /v1/reports/templates/users/me",
    who: "user",
    request: () => ({ body: { ...newTemplate(), displayName: "Mine" } }),
    status: 201,
  },
  {
    route: "POST /v1/reports/templates/organizations/:organizationId",
    who: "organization-admin",
    request: ({ organizationId }) => ({ params: { organizationId }, body: newTemplate() }),
    status: 201,
  },
  {
    route: "POST /v1/reports/templates/preview",
    changesNone: true,
    who: "organization-admin",
    request: ({ organizationId }) => ({ body: { ...newTemplate(), organizationId }, places: [organizationId] }),
    status: 200,
    notJson: true,
    answersAnew: true,
  },
  {
    route: "PUT /v1/reports/templates/:template",
    who: "organization-admin",
    request: async (world) => ({ ...(await onTemplate(world)), body: newTemplate() }),
    status: 200,
    audited: ["report-template.updated"],
  },
  {
    route: "GET /v1/reports/templates/:template/revisions",
    who: "user",
    request: onTemplate,
    status: 200,
    list: true,
  },
  {
    route: "GET /v1/reports/templates/:template/revisions/:revision",
    who: "user",
    request: async (world) => {
      const { params } = await onTemplate(world);
      return { params: { template: params?.template ?? "", revision: "1" } };
    },
    status: 200,
  },
  {
    route: "POST /v1/reports/templates/:template/revisions/:revision/restore",
    who: "organization-admin",
    request: async (world) => {
      const { params } = await onTemplate(world);
      const template = params?.template ?? "";
      const answer = await call("PUT", `/v1/reports/templates/${template}`, { ...world.owner, body: newTemplate() });
      expect(answer.status).toBe(200);
      return { params: { template, revision: "1" }, headers: { "if-match": '"2"' } };
    },
    status: 200,
    audited: ["report-template.updated"],
  },
  {
    route: "DELETE /v1/reports/templates/:template",
    who: "organization-admin",
    request: onTemplate,
    status: 204,
    audited: ["report-template.deleted"],
  },
  {
    route: "POST /v1/reports/templates/:template/restore",
    who: "organization-admin",
    request: async (world) => {
      const built = await onTemplate(world);
      await remove(`/v1/reports/templates/${built.params?.template}`, world);
      return built;
    },
    status: 200,
    audited: ["report-template.restored"],
  },
  { route: "GET /v1/reports", who: "user", request: () => ({}), status: 200, list: true },
  {
    route: "GET /v1/reports/locations/:locationId",
    who: { needs: { Reports: "Read" } },
    request: async (world) => ({ params: { locationId: (await mintLocation(world.tenant, named)).id } }),
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/reports/locations/:locationId",
    who: { needs: { Reports: "Write" } },
    request: async (world) => ({
      params: { locationId: (await mintLocation(world.tenant, named)).id },
      body: { templateId: (await mintTemplate(world.tenant)).id, title: named.name },
    }),
    status: 201,
  },
  { route: "GET /v1/reports/:reportId", who: { needs: { Reports: "Read" } }, request: onReport, status: 200 },
  {
    route: "GET /v1/reports/:reportId/preview",
    who: { needs: { Reports: "Read" } },
    request: onReport,
    status: 200,
    notJson: true,
  },
  {
    route: "PUT /v1/reports/:reportId",
    who: { needs: { Reports: "Write" } },
    request: async (world) => ({ ...(await onReport(world)), body: { contentJson: { body: "Other words." } } }),
    status: 200,
  },
  {
    route: "DELETE /v1/reports/:reportId",
    who: { needs: { Reports: "Write" } },
    request: onReport,
    status: 204,
    audited: ["report.deleted"],
  },
  {
    route: "POST /v1/reports/:reportId/restore",
    who: { needs: { Reports: "Write" } },
    request: async (world) => {
      const built = await onReport(world);
      await remove(`/v1/reports/${built.params?.reportId}`, world);
      return built;
    },
    status: 200,
    audited: ["report.restored"],
  },
  {
    route: "POST /v1/reports/:reportId/collaboration/bootstrap",
    answersAnew: true,
    who: { needs: { Reports: "Read" } },
    request: onReport,
    status: 200,
  },
  {
    route: "POST /v1/reports/:reportId/generate-pdf",
    who: { needs: { Reports: "Write", Documents: "Write" } },
    request: onWaitingReport,
    status: 202,
  },
  {
    route: "POST /v1/reports/jobs/:jobId/cancel",
    who: { needs: { Reports: "Write" } },
    request: onQueuedJob,
    status: 200,
  },
  { route: "GET /v1/reports/jobs/:jobId", who: { needs: { Reports: "Read" } }, request: onReportJob, status: 200 },
];
