import { z } from "@hono/zod-openapi";
import { forUsers, READ } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { baseRevisionSchema, organizationIdSchema, spatialQuery } from "../../workspace";
import { createTag, deleteTag, listTags, presentTag, requireTag, tagFields, tagSchema, updateTag } from "./tags";

export const tagRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });
const params = z.object({ tagId: idSchema });

const newTag = z.strictObject({ organizationId: organizationIdSchema, ...tagFields }).openapi("TagCreate");
const tagUpdate = z
  .strictObject({ ...z.object(tagFields).partial().shape, baseRevision: baseRevisionSchema })
  .refine(({ name, color }) => name !== undefined || color !== undefined, "change at least one field")
  .openapi("TagUpdate");

tagRoutes.openapi(
  route({
    method: "get",
    path: "/v1/tags",
    placed: { fields: ["organizationId"] },
    operationId: "listTags",
    summary: "List tags",
    description: "Contains the tags of the workspaces whose documents you may read.",
    request: { query: pageQuery.extend({ organizationId: spatialQuery.shape.organizationId }) },
    responses: { 200: json(pageSchema("TagList", tagSchema), "A page of tags") },
  }),
  async (c) => c.json(await listTags(c.get("context"), c.req.valid("query")), 200),
);

tagRoutes.openapi(
  route({
    method: "post",
    path: "/v1/tags",
    locates: "/v1/tags/{id}",
    placed: { fields: ["organizationId"], otherwise: "personal" },
    operationId: "createTag",
    summary: "Create a tag",
    description: "Tags with the same letters and digits have the same name: case, accents and signs do not count.",
    request: { body: jsonBody(newTag) },
    responses: { 201: json(tagSchema, "The tag") },
  }),
  async (c) => {
    const tag = await createTag(c.get("context"), c.req.valid("json"));
    setRevision(c, tag.revision);
    return c.json(tag, 201);
  },
);

tagRoutes.openapi(
  route({
    method: "get",
    path: "/v1/tags/{tagId}",
    operationId: "getTag",
    summary: "Get a tag",
    request: { params },
    responses: { 200: json(tagSchema, "The tag") },
  }),
  async (c) => {
    const row = await requireTag(c.get("context"), c.req.valid("param").tagId, READ);
    setRevision(c, row.revision);
    return c.json(presentTag(row), 200);
  },
);

tagRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/tags/{tagId}",
    operationId: "updateTag",
    summary: "Rename or recolour a tag",
    request: { params, body: jsonBody(tagUpdate) },
    responses: { 200: json(tagSchema, "The tag") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const tag = await updateTag(c.get("context"), c.req.valid("param").tagId, body, preconditionOf(c, body));
    setRevision(c, tag.revision);
    return c.json(tag, 200);
  },
);

tagRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/tags/{tagId}",
    operationId: "deleteTag",
    summary: "Delete a tag",
    description: "Takes it from all its documents. The documents stay.",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    await deleteTag(c.get("context"), c.req.valid("param").tagId, preconditionOf(c, {}));
    return c.body(null, 204);
  },
);
