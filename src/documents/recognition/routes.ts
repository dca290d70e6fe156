import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { numberSchema } from "../../platform/http/fields";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { pageWordsSchema, readWords } from "./words";

export const recognitionRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });

recognitionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/documents/{documentId}/pages/{page}/words",
    operationId: "getPageWords",
    summary: "Get the words of a scanned page with their boxes",
    description: "Answers 404 for a page without recognized words.",
    request: { params: z.object({ documentId: idSchema, page: numberSchema(1) }) },
    responses: { 200: json(pageWordsSchema, "The words in reading order") },
  }),
  async (c) => {
    const { documentId, page } = c.req.valid("param");
    return c.json(await readWords(c.get("context"), documentId, page), 200);
  },
);
