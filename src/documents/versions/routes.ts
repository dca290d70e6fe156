import { createRoute, z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { numberSchema } from "../../platform/http/fields";
import { createRouter, json, problems } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { listPassages, listVersions, passageSchema, versionSchema } from "./versions";

export const versionRoutes = createRouter();

const tags = ["Documents"];
const params = z.object({ documentId: idSchema });

versionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/v1/documents/{documentId}/versions",
    ...forUsers,
    tags,
    operationId: "listDocumentVersions",
    summary: "List the versions of a document, newest first",
    request: { params, query: pageQuery },
    responses: { 200: json(pageSchema("DocumentVersionList", versionSchema), "A page of versions"), ...problems },
  }),
  async (c) => c.json(await listVersions(c.get("context"), c.req.valid("param").documentId, c.req.valid("query")), 200),
);

versionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/v1/documents/{documentId}/passages",
    ...forUsers,
    tags,
    operationId: "listPassages",
    summary: "List the text passages of a document in reading order",
    request: { params, query: pageQuery.extend({ page: numberSchema(1).optional() }) },
    responses: { 200: json(pageSchema("PassageList", passageSchema), "A page of passages"), ...problems },
  }),
  async (c) => c.json(await listPassages(c.get("context"), c.req.valid("param").documentId, c.req.valid("query")), 200),
);
