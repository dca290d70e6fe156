import { z } from "@hono/zod-openapi";
import { forUsers } from "../../../access";
import { createRouter, json, routeOf } from "../../../platform/http/router";
import { idSchema } from "../../../platform/ids";
import { cancelReportJob, generatePdf, presentReportJob, reportJobSchema, requireReportJob, statusPath } from "./jobs";

export const printingRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Reports"] });

printingRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/{reportId}/generate-pdf",
    locates: "/v1/reports/jobs/{jobId}",
    operationId: "generateReportPdf",
    summary: "Generate a PDF of a report",
    description:
      "An unchanged report gets its existing job. The PDF becomes a new version of one document, `reports/….pdf`.",
    request: { params: z.object({ reportId: idSchema }) },
    responses: {
      202: json(
        z
          .object({
            jobId: idSchema,
            statusUrl: z.string().openapi({ description: "The path of the job's status." }),
          })
          .openapi("ReportJobReference"),
        "The job that generates the PDF",
      ),
    },
  }),
  async (c) => {
    const jobId = await generatePdf(c.get("context"), c.req.valid("param").reportId);
    return c.json({ jobId, statusUrl: statusPath(jobId) }, 202);
  },
);

printingRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/jobs/{jobId}",
    operationId: "getReportJob",
    summary: "Get the state of a PDF job",
    request: { params: z.object({ jobId: idSchema }) },
    responses: { 200: json(reportJobSchema, "The job") },
  }),
  async (c) => {
    const context = c.get("context");
    const found = await requireReportJob(context, c.req.valid("param").jobId);
    return c.json(presentReportJob(context, found), 200);
  },
);

printingRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/jobs/{jobId}/cancel",
    operationId: "cancelReportJob",
    summary: "Cancel a queued PDF job",
    description:
      "A job that is being printed or has ended answers 409. A job that was cancelled before stays cancelled.",
    request: { params: z.object({ jobId: idSchema }) },
    responses: { 200: json(reportJobSchema, "The cancelled job") },
  }),
  async (c) => {
    const context = c.get("context");
    const found = await cancelReportJob(context, c.req.valid("param").jobId);
    return c.json(presentReportJob(context, found), 200);
  },
);
