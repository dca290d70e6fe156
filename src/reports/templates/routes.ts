import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { baseRevisionSchema, deletionQuery } from "../../workspace";
import { MAX_TEMPLATE_REVISIONS } from "../limits";
import { deleteTemplate, restoreTemplate } from "./deletion";
import { getRevision, listedRevisionSchema, listRevisions, revisionSchema } from "./history";
import {
  findByKey,
  listedTemplateSchema,
  newTemplateSchema,
  presentTemplate,
  templateKeySchema,
  templateSchema,
} from "./template";
import { createTemplate, listTemplates, restoreRevision, updateTemplate } from "./templates";

export const templateRoutes = createRouter();

const templateCreate = newTemplateSchema.openapi("ReportTemplateCreate");

const route = routeOf({ ...forUsers, tags: ["Report templates"] });
const params = z.object({ template: idSchema.openapi({ description: "The template's id." }) });

templateRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/templates",
    placed: "none",
    operationId: "listReportTemplates",
    summary: "List report templates",
    description: "Returns your own templates and the templates of your organizations, without their sources.",
    request: { query: pageQuery },
    responses: {
      200: json(pageSchema("ReportTemplateSummaryList", listedTemplateSchema), "A page of templates"),
    },
  }),
  async (c) => c.json(await listTemplates(c.get("context"), c.req.valid("query")), 200),
);

templateRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/templates/{template}",
    placed: { fields: ["organizationId"] },
    operationId: "getReportTemplate",
    summary: "Get a report template by its key",
    description: "If several templates have the key, your own one is returned.",
    request: {
      params: z.object({ template: templateKeySchema.openapi({ description: "The template's key." }) }),
      query: z.object({ organizationId: idSchema.optional() }),
    },
    responses: { 200: json(templateSchema, "The template") },
  }),
  async (c) => {
    const row = await findByKey(c.get("context"), { key: c.req.valid("param").template, ...c.req.valid("query") });
    setRevision(c, row.revision, row.id);
    return c.json(presentTemplate(row), 200);
  },
);

templateRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/templates/users/me",
    locates: "/v1/reports/templates/{key}",
    placed: { fields: [], otherwise: "personal" },
    operationId: "createPersonalReportTemplate",
    summary: "Create a personal report template",
    request: { body: jsonBody(templateCreate) },
    responses: { 201: json(templateSchema, "The template") },
  }),
  async (c) => {
    const template = await createTemplate(c.get("context"), null, c.req.valid("json"));
    setRevision(c, template.revision);
    return c.json(template, 201);
  },
);

templateRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/templates/organizations/{organizationId}",
    locates: "/v1/reports/templates/{key}?organizationId={organizationId}",
    operationId: "createOrganizationReportTemplate",
    summary: "Create a report template of an organization",
    request: { params: z.object({ organizationId: idSchema }), body: jsonBody(templateCreate) },
    responses: { 201: json(templateSchema, "The template") },
  }),
  async (c) => {
    const { organizationId } = c.req.valid("param");
    const template = await createTemplate(c.get("context"), organizationId, c.req.valid("json"));
    setRevision(c, template.revision);
    return c.json(template, 201);
  },
);

templateRoutes.openapi(
  route({
    method: "put",
    path: "/v1/reports/templates/{template}",
    operationId: "updateReportTemplate",
    summary: "Replace a report template",
    request: {
      params,
      body: jsonBody(
        newTemplateSchema.safeExtend({ baseRevision: baseRevisionSchema }).openapi("ReportTemplateUpdate"),
      ),
    },
    responses: { 200: json(templateSchema, "The template") },
  }),
  async (c) => {
    const { baseRevision, ...given } = c.req.valid("json");
    const { template: templateId } = c.req.valid("param");
    const precondition = preconditionOf(c, { baseRevision });
    const template = await updateTemplate(c.get("context"), templateId, given, precondition);
    setRevision(c, template.revision);
    return c.json(template, 200);
  },
);

const revisionParams = params.extend({
  revision: z.coerce
    .number()
    .int()
    .min(1)
    .openapi({ param: { name: "revision", in: "path" }, type: "integer" }),
});

templateRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/templates/{template}/revisions",
    operationId: "listReportTemplateRevisions",
    summary: "List the revisions of a report template",
    description: `Returns the present revision and up to ${MAX_TEMPLATE_REVISIONS} earlier ones, the newest first, without their sources.`,
    request: { params, query: pageQuery },
    responses: {
      200: json(pageSchema("ReportTemplateRevisionList", listedRevisionSchema), "A page of revisions"),
    },
  }),
  async (c) => c.json(await listRevisions(c.get("context"), c.req.valid("param").template, c.req.valid("query")), 200),
);

templateRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/templates/{template}/revisions/{revision}",
    operationId: "getReportTemplateRevision",
    summary: "Get a revision of a report template with its sources",
    request: { params: revisionParams },
    responses: { 200: json(revisionSchema, "The revision") },
  }),
  async (c) => {
    const { template, revision } = c.req.valid("param");
    return c.json(await getRevision(c.get("context"), template, revision), 200);
  },
);

templateRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/templates/{template}/revisions/{revision}/restore",
    operationId: "restoreReportTemplateRevision",
    summary: "Write an earlier revision of a report template as its next one",
    description: "The template keeps its key.",
    request: { params: revisionParams },
    responses: { 200: json(templateSchema, "The template") },
  }),
  async (c) => {
    const { template: templateId, revision } = c.req.valid("param");
    const template = await restoreRevision(c.get("context"), templateId, revision, preconditionOf(c, {}));
    setRevision(c, template.revision);
    return c.json(template, 200);
  },
);

templateRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/reports/templates/{template}",
    operationId: "deleteReportTemplate",
    summary: "Delete a report template",
    description: "You can restore it until its time in the trash ends. Reports that use the template keep it.",
    request: { params, query: deletionQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { purge } = c.req.valid("query");
    await deleteTemplate(c.get("context"), c.req.valid("param").template, preconditionOf(c, {}), purge);
    return c.body(null, 204);
  },
);

templateRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/templates/{template}/restore",
    operationId: "restoreReportTemplate",
    summary: "Restore a deleted report template",
    request: { params },
    responses: { 200: json(templateSchema, "The template") },
  }),
  async (c) => {
    const row = await restoreTemplate(c.get("context"), c.req.valid("param").template);
    setRevision(c, row.revision);
    return c.json(presentTemplate(row), 200);
  },
);
