import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { lineSchema } from "../../platform/http/fields";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { NAME_READS } from "../limits";
import { administeredOrganizationSchema, listAllOrganizations } from "./organizations";

export const administeredOrganizationRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Administration"], placed: "none" });

administeredOrganizationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/admin/organizations",
    operationId: "listAllOrganizations",
    summary: "List the organizations of the service with their use",
    description:
      "Ordered by name. Only for platform administrators. Set limits with `updateEntitlements`. " +
      `A page of a search reads ${NAME_READS.names} names, so it can have fewer items than \`limit\`, or none, before the last page.`,
    request: {
      query: pageQuery.extend({
        search: lineSchema(200).optional().openapi({
          description: "A part of the name, or an id. Upper and lower case and accents do not matter.",
        }),
      }),
    },
    responses: {
      200: json(pageSchema("AdministeredOrganizationList", administeredOrganizationSchema), "A page of organizations"),
    },
  }),
  async (c) => c.json(await listAllOrganizations(c.get("context"), c.req.valid("query")), 200),
);
