import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { numberSchema } from "../../platform/http/fields";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { listPassages, listVersions, passageSchema, versionSchema } from "./versions";

export const versionRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });
const params = z.object({ documentId: idSchema });

versionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/documents/{documentId}/versions",
    operationId: "listDocumentVersions",
    summary: "List the versions of a document, newest first",
    request: { params, query: pageQuery },
    responses: { 200: json(pageSchema("DocumentVersionList", versionSchema), "A page of versions") },
  }),
  async (c) => c.json(await listVersions(c.get("context"), c.req.valid("param").documentId, c.req.valid("query")), 200),
);

versionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/documents/{documentId}/passages",
    operationId: "listPassages",
    summary: "List the text passages of a document in reading order",
    request: { params, query: pageQuery.extend({ page: numberSchema(1).optional() }) },
    responses: { 200: json(pageSchema("PassageList", passageSchema), "A page of passages") },
  }),
  async (c) => c.json(await listPassages(c.get("context"), c.req.valid("param").documentId, c.req.valid("query")), 200),
);
