import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageSchema } from "../../platform/db/cursor";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { changeFolder, folderChangeBody, folderChangeSchema, readFolderChange } from "./changes";
import { createFolder, folderPathSchema, folderQuery, folderSchema, listFolders } from "./folders";

export const folderRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });
const inLocation = z.object({ locationId: idSchema });
const newFolder = z.strictObject({ path: folderPathSchema }).openapi("FolderCreate");

folderRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/folders",
    operationId: "listFolders",
    summary: "List the folders of a location or of a folder",
    description: "Contains the folders that people made, and the folders of the documents that you may read.",
    request: { params: inLocation, query: folderQuery },
    responses: { 200: json(pageSchema("FolderList", folderSchema), "A page of folders") },
  }),
  async (c) => c.json(await listFolders(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

folderRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/folders",
    operationId: "createFolder",
    summary: "Create a folder",
    description: "It exists without documents too. The folders above it need not exist.",
    request: { params: inLocation, body: jsonBody(newFolder) },
    responses: { 201: json(folderSchema, "The folder") },
  }),
  async (c) => {
    const { locationId } = c.req.valid("param");
    return c.json(await createFolder(c.get("context"), locationId, c.req.valid("json").path), 201);
  },
);

folderRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/folders/changes",
    locates: "/v1/spatial/locations/{locationId}/folders/changes/{id}",
    operationId: "changeFolder",
    summary: "Move, delete or restore a folder with everything below it",
    description:
      "A job changes the documents of a large folder. Then the answer has the status `running`: request the change again " +
      "until it is `done`. One change of folders runs at a time in a location.",
    request: { params: inLocation, body: jsonBody(folderChangeBody) },
    responses: { 202: json(folderChangeSchema, "The change") },
  }),
  async (c) => c.json(await changeFolder(c.get("context"), c.req.valid("param").locationId, c.req.valid("json")), 202),
);

folderRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/folders/changes/{changeId}",
    operationId: "getFolderChange",
    summary: "Get the state of a change of a folder",
    request: { params: inLocation.extend({ changeId: idSchema }) },
    responses: { 200: json(folderChangeSchema, "The change") },
  }),
  async (c) => {
    const { locationId, changeId } = c.req.valid("param");
    return c.json(await readFolderChange(c.get("context"), locationId, changeId), 200);
  },
);
