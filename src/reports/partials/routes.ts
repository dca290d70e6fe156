import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { baseRevisionSchema } from "../../workspace";
import {
  deletePartial,
  getPartial,
  listedPartialSchema,
  listPartials,
  partialNameSchema,
  partialSchema,
  partialSourceSchema,
  partialWithUsesSchema,
  putPartial,
} from "./partials";

export const partialRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Report templates"] });
const ofOrganization = z.object({ organizationId: idSchema });
const params = ofOrganization.extend({ name: partialNameSchema });

partialRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/partials/organizations/{organizationId}",
    operationId: "listReportPartials",
    summary: "List the partials of an organization",
    description: "Returns the parts that its templates share, by name, without their sources.",
    request: { params: ofOrganization, query: pageQuery },
    responses: { 200: json(pageSchema("ReportPartialList", listedPartialSchema), "A page of partials") },
  }),
  async (c) =>
    c.json(await listPartials(c.get("context"), c.req.valid("param").organizationId, c.req.valid("query")), 200),
);

partialRoutes.openapi(
  route({
    method: "get",
    path: "/v1/reports/partials/organizations/{organizationId}/{name}",
    operationId: "getReportPartial",
    summary: "Get a partial with its source and what uses it",
    request: { params },
    responses: { 200: json(partialWithUsesSchema, "The partial") },
  }),
  async (c) => {
    const { organizationId, name } = c.req.valid("param");
    const partial = await getPartial(c.get("context"), organizationId, name);
    setRevision(c, partial.revision);
    return c.json(partial, 200);
  },
);

partialRoutes.openapi(
  route({
    method: "put",
    path: "/v1/reports/partials/organizations/{organizationId}/{name}",
    operationId: "updateReportPartial",
    summary: "Create a partial or replace its source",
    description: "Owners and admins can do this. Reports that use it are rendered with the new source from then on.",
    request: {
      params,
      body: jsonBody(
        z
          .strictObject({ source: partialSourceSchema, baseRevision: baseRevisionSchema })
          .openapi("ReportPartialUpdate"),
      ),
    },
    responses: { 200: json(partialSchema, "The partial") },
  }),
  async (c) => {
    const { organizationId, name } = c.req.valid("param");
    const { source, baseRevision } = c.req.valid("json");
    const precondition = preconditionOf(c, { baseRevision });
    const partial = await putPartial(c.get("context"), organizationId, name, source, precondition);
    setRevision(c, partial.revision);
    return c.json(partial, 200);
  },
);

partialRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/reports/partials/organizations/{organizationId}/{name}",
    operationId: "deleteReportPartial",
    summary: "Delete a partial",
    description: "A partial that a template or another partial uses answers 409 with their names.",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { organizationId, name } = c.req.valid("param");
    await deletePartial(c.get("context"), organizationId, name, preconditionOf(c, {}));
    return c.body(null, 204);
  },
);
