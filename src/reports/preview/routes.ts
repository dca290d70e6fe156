import { createRoute, z } from "@hono/zod-openapi";
import { forUsers, READ, requireUser } from "../../access";
import { REPORT_POLICY } from "../../platform/http/pages";
import { InstanceLimiter } from "../../platform/http/rate-limit";
import { createRouter, problems } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { MINUTE } from "../../platform/time";
import { requireReport } from "../drafts";
import { readerOf, renderReport } from "../rendering";

export const previewRoutes = createRouter();

/** Previews of one user: an editor may ask for one at each pause in typing. */
const previews = new InstanceLimiter({ limit: 120, windowMs: MINUTE });

previewRoutes.openapi(
  createRoute({
    method: "get",
    path: "/v1/reports/{reportId}/preview",
    ...forUsers,
    tags: ["Reports"],
    operationId: "previewReport",
    summary: "Preview a report as HTML",
    description: "The page is the one that a PDF is made from. It runs no script and loads no other file.",
    request: { params: z.object({ reportId: idSchema }) },
    responses: {
      200: { description: "The page", content: { "text/html": { schema: z.string() } } },
      ...problems,
    },
  }),
  async (c) => {
    const context = c.get("context");
    const caller = requireUser(context);
    const { report } = await requireReport(context, c.req.valid("param").reportId, READ);
    previews.consume(caller.userId, context.now);
    const { html } = await renderReport(context, report, readerOf(caller));
    c.header("content-security-policy", `sandbox; ${REPORT_POLICY}; frame-ancestors 'none'`);
    return c.html(html, 200);
  },
);
