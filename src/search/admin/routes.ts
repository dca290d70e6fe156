import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { indexStatusSchema, readIndexStatus, reindexDocument, startBackfill, taskSchema } from "./tasks";

export const indexRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Search index"] });
const readingSchema = z.object({
  readTextAgain: z
    .stringbool({ truthy: ["true"], falsy: ["false"] })
    .default(false)
    .openapi({
      description:
        "Whether to extract the text from the file again, for example after an update of the service. Scans that were recognized keep their text.",
    }),
});
const started = { 202: json(taskSchema, "The task. Get index status to follow it.") };

indexRoutes.openapi(
  route({
    method: "post",
    path: "/v1/search/index/documents/{documentId}",
    locates: "/v1/search/index/status",
    operationId: "reindexDocument",
    summary: "Index one document again",
    description: "Only for platform administrators.",
    request: { params: z.object({ documentId: idSchema }), query: readingSchema },
    responses: started,
  }),
  async (c) =>
    c.json(await reindexDocument(c.get("context"), c.req.valid("param").documentId, c.req.valid("query")), 202),
);

indexRoutes.openapi(
  route({
    method: "post",
    path: "/v1/search/index/backfill",
    locates: "/v1/search/index/status",
    placed: "none",
    operationId: "reindexDocuments",
    summary: "Index the text of every document again",
    description: "Only for platform administrators.",
    request: { query: readingSchema },
    responses: started,
  }),
  async (c) => c.json(await startBackfill(c.get("context"), "backfill-documents", c.req.valid("query")), 202),
);

indexRoutes.openapi(
  route({
    method: "post",
    path: "/v1/search/index/assets/backfill",
    locates: "/v1/search/index/status",
    placed: "none",
    operationId: "reindexAssets",
    summary: "Index all assets again",
    description:
      "Indexes the entry of every cluster, location, annotation and document. Only for platform administrators.",
    responses: started,
  }),
  async (c) => c.json(await startBackfill(c.get("context"), "backfill-assets"), 202),
);

indexRoutes.openapi(
  route({
    method: "get",
    path: "/v1/search/index/status",
    placed: "none",
    operationId: "getIndexStatus",
    summary: "Get index status",
    description: "Only for platform administrators.",
    responses: { 200: json(indexStatusSchema, "Counts and the latest tasks") },
  }),
  async (c) => c.json(await readIndexStatus(c.get("context")), 200),
);
