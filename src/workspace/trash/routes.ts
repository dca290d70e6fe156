import { forUsers } from "../../access";
import { pageSchema } from "../../platform/db/cursor";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { listTrash, trashedSchema, trashQuery } from "./list";

export const trashRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Trash"] });

trashRoutes.openapi(
  route({
    method: "get",
    path: "/v1/trash",
    placed: { fields: ["organizationId"] },
    operationId: "listTrash",
    summary: "List the trash",
    description: "Contains the resources that you may restore, in the order of deletion.",
    request: { query: trashQuery },
    responses: { 200: json(pageSchema("TrashItemList", trashedSchema), "A page of the trash") },
  }),
  async (c) => c.json(await listTrash(c.get("context"), c.req.valid("query")), 200),
);
