import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { numberSchema } from "../../platform/http/fields";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { downloadSchema, prefersJson } from "../../platform/objects/store";
import { downloadLink, LINK_TYPES } from "./link";

export const downloadRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });

downloadRoutes.openapi(
  route({
    method: "get",
    path: "/v1/documents/{documentId}/download",
    operationId: "getDocumentDownload",
    summary: "Get a download link for a document",
    description:
      "The link expires after 5 minutes. `linkType` selects the file, or a small or medium form of a picture or of the first page of a PDF. `page` selects the picture of a page of a HEIC or TIFF file.",
    request: {
      params: z.object({ documentId: idSchema }),
      query: z.object({
        linkType: z.enum(LINK_TYPES).default("file"),
        version: numberSchema(1).optional(),
        page: numberSchema(1).default(1),
      }),
    },
    responses: {
      200: json(downloadSchema, "The address, for clients that prefer JSON"),
      302: { description: "A redirect to the address", headers: z.object({ location: z.string() }) },
    },
  }),
  async (c) => {
    const link = await downloadLink(c.get("context"), c.req.valid("param").documentId, c.req.valid("query"));
    c.header("vary", "accept");
    return prefersJson(c.req.header("accept")) ? c.json(link, 200) : c.redirect(link.url, 302);
  },
);
