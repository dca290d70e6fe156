import { z } from "@hono/zod-openapi";
import { forUsers, READ, requireUser } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { baseRevisionSchema, deletionQuery, nameSchema, spatialQuery } from "../../workspace";
import { templateKeySchema } from "../templates";
import { deleteReport, restoreReport } from "./deletion";
import {
  contentSchema,
  createReport,
  type ListedReport,
  listedReportSchema,
  listReports,
  listVisibleReports,
  presentReport,
  reportSchema,
  requireReport,
} from "./reports";
import { updateReport } from "./update";

export const draftRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Reports"] });
const inLocation = z.object({ locationId: idSchema });
const params = z.object({ reportId: idSchema });

const newReportSchema = z
  .strictObject({
    templateId: idSchema.optional(),
    templateKey: templateKeySchema
      .optional()
      .openapi({ description: "The key of your own template, or else of a template of the location's organization." }),
    title: nameSchema.optional().openapi({ description: "The default is the name of the template." }),
    contentJson: contentSchema.optional().openapi({ description: "The default is the skeleton of the template." }),
  })
  .refine(
    ({ templateId, templateKey }) => (templateId === undefined) !== (templateKey === undefined),
    "send either templateId or templateKey",
  )
  .openapi("ReportCreate", { example: { templateKey: "inspection", title: "Inspection of the east pier" } });

/** The fields that a new PDF changes between two revisions. */
const progressOf = ({ report, pdfDocument }: Pick<ListedReport, "report" | "pdfDocument">): string =>
  pdfDocument === null ? "0" : `${report.pdfVersion ?? 0}`;

draftRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports",
    placed: { fields: ["organizationId"] },
    operationId: "listVisibleReports",
    summary: "List the reports that you can see",
    request: { query: spatialQuery },
    responses: { 200: json(pageSchema("VisibleReportList", listedReportSchema), "A page of reports") },
  }),
  async (c) => c.json(await listVisibleReports(c.get("context"), c.req.valid("query")), 200),
);

draftRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/locations/{locationId}",
    operationId: "listReports",
    summary: "List the reports of a location",
    request: { params: inLocation, query: pageQuery },
    responses: { 200: json(pageSchema("ReportSummaryList", listedReportSchema), "A page of reports") },
  }),
  async (c) => c.json(await listReports(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

draftRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/locations/{locationId}",
    locates: "/v1/reports/{id}",
    operationId: "createReport",
    summary: "Create a report for a location",
    request: { params: inLocation, body: jsonBody(newReportSchema) },
    responses: { 201: json(reportSchema, "The report") },
  }),
  async (c) => {
    const report = await createReport(c.get("context"), c.req.valid("param").locationId, c.req.valid("json"));
    setRevision(c, report.revision);
    return c.json(report, 201);
  },
);

draftRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/{reportId}",
    operationId: "getReport",
    summary: "Get a report with its draft",
    request: { params },
    responses: { 200: json(reportSchema, "The report") },
  }),
  async (c) => {
    const context = c.get("context");
    const found = await requireReport(context, c.req.valid("param").reportId, READ);
    setRevision(c, found.report.revision, progressOf(found));
    return c.json(presentReport(requireUser(context), found), 200);
  },
);

draftRoutes.openapi(
  route({
    method: "put",
    path: "/v1/reports/{reportId}",
    operationId: "updateReport",
    summary: "Replace or merge a report's draft",
    description:
      "With baseRevision or If-Match, your changes since that revision are merged with the changes of others. A conflict answers 409, and `errors` names the fields. Without a base revision, the request answers 409 while people are in the room.",
    request: {
      params,
      body: jsonBody(
        z
          .strictObject({ contentJson: contentSchema, title: nameSchema.optional(), baseRevision: baseRevisionSchema })
          .openapi("ReportUpdate"),
      ),
    },
    responses: { 200: json(reportSchema, "The report") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { reportId } = c.req.valid("param");
    const report = await updateReport(c.get("context"), reportId, body, preconditionOf(c, body));
    setRevision(c, report.revision);
    return c.json(report, 200);
  },
);

draftRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/reports/{reportId}",
    operationId: "deleteReport",
    summary: "Delete a report",
    description: "You can restore it until its time in the trash ends. Its PDFs stay in the library.",
    request: { params, query: deletionQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { purge } = c.req.valid("query");
    await deleteReport(c.get("context"), c.req.valid("param").reportId, preconditionOf(c, {}), purge);
    return c.body(null, 204);
  },
);

draftRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/{reportId}/restore",
    operationId: "restoreReport",
    summary: "Restore a deleted report",
    request: { params },
    responses: { 200: json(reportSchema, "The report") },
  }),
  async (c) => {
    const context = c.get("context");
    const found = await restoreReport(context, c.req.valid("param").reportId);
    setRevision(c, found.report.revision, progressOf(found));
    return c.json(presentReport(requireUser(context), found), 200);
  },
);
