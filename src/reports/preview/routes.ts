import { z } from "@hono/zod-openapi";
import { contextAt, forUsers, READ, requireUser } from "../../access";
import { REPORT_POLICY } from "../../platform/http/pages";
import { InstanceLimiter } from "../../platform/http/rate-limit";
import { createRouter, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { requireReport } from "../drafts";
import { PREVIEWS_PER_USER } from "../limits";
import { readerOf, renderReport, renderSample, renderWith } from "../rendering";
import { newTemplateSchema, requireTemplateOwner } from "../templates";

/** What both previews say about their warnings. */
const WARNED = {
  description:
    'Its head has a `<meta name="report-warning">` for each value that it does not show as its template says.',
};

export const previewRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Reports"] });
const templateRoute = routeOf({ ...forUsers, tags: ["Report templates"] });

/** Previews of one user: an editor may ask for one at each pause in typing. */
const previews = new InstanceLimiter("report-previews", PREVIEWS_PER_USER);

const PREVIEW_POLICY = `sandbox; ${REPORT_POLICY}; frame-ancestors 'none'`;

previewRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/{reportId}/preview",
    operationId: "previewReport",
    summary: "Preview a report as HTML",
    description: `The PDF is made from this page. It runs no script and loads no other file. ${WARNED.description}`,
    request: { params: z.object({ reportId: idSchema }) },
    responses: {
      200: { description: "The page", content: { "text/html": { schema: z.string() } } },
    },
  }),
  async (c) => {
    const context = c.get("context");
    const caller = requireUser(context);
    const { report } = await requireReport(context, c.req.valid("param").reportId, READ);
    previews.consume(context, caller.userId);
    const { html } = await renderReport(context, report, readerOf(caller));
    c.header("content-security-policy", PREVIEW_POLICY);
    return c.html([...html].join(""), 200);
  },
);

const templatePreview = newTemplateSchema
  .safeExtend({
    organizationId: idSchema
      .nullable()
      .default(null)
      .openapi({
        type: ["string", "null"],
        description: "The organization of the template; null for your own template.",
      }),
    reportId: idSchema
      .optional()
      .openapi({ description: "The report that the page shows. Without it, the page shows the skeleton." }),
  })
  .openapi("ReportTemplatePreview");

previewRoutes.openapi(
  templateRoute({
    method: "post",
    path: "/v1/reports/templates/preview",
    placed: "none",
    operationId: "previewReportTemplate",
    summary: "Preview a report template as HTML",
    description: `Nothing is stored. The page runs no script and loads no other file. ${WARNED.description}`,
    request: { body: jsonBody(templatePreview) },
    responses: {
      200: { description: "The page", content: { "text/html": { schema: z.string() } } },
    },
  }),
  async (c) => {
    const { organizationId, reportId, ...given } = c.req.valid("json");
    const { userId } = requireUser(c.get("context"));
    const owner = { tenantId: organizationId ?? userId, organizationId };
    // The page shows the report with its place, so it is composed where the report is.
    const context = await contextAt(c.get("context"), reportId ?? owner.tenantId);
    const caller = requireTemplateOwner(context, owner);
    previews.consume(context, userId);
    const { html } =
      reportId === undefined
        ? await renderSample(context, owner, given)
        : await renderWith(
            context,
            (await requireReport(context, reportId, READ)).report,
            readerOf(caller),
            given,
            organizationId,
          );
    c.header("content-security-policy", PREVIEW_POLICY);
    return c.html([...html].join(""), 200);
  },
);
