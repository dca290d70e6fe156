import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { containedFilesSchema, readContainedFiles, takeOutFiles } from "./contained";

export const containedRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });
const path = "/v1/documents/{documentId}/contained-files";
const params = z.object({ documentId: idSchema });

containedRoutes.openapi(
  route({
    method: "get",
    path,
    operationId: "getContainedFiles",
    summary: "Get the state of the files inside a document",
    request: { params },
    responses: { 200: json(containedFilesSchema, "The state of the newest version") },
  }),
  async (c) => c.json(await readContainedFiles(c.get("context"), c.req.valid("param").documentId), 200),
);

containedRoutes.openapi(
  route({
    method: "post",
    path,
    locates: path,
    operationId: "takeOutContainedFiles",
    summary: "Take out the files inside a document",
    description:
      "A job makes a document of each file that is attached to a mail (EML, MSG) or a PDF, in a folder with the name of the document. The outer document stays as it is. Request the state until it is `done` or `stopped`. A repeat makes nothing twice; after `stopped` it goes on.",
    request: { params },
    responses: { 202: json(containedFilesSchema, "The state") },
  }),
  async (c) => c.json(await takeOutFiles(c.get("context"), c.req.valid("param").documentId), 202),
);
