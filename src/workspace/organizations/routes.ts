import { z } from "@hono/zod-openapi";
import { forUsers, movesUnderWay, requireUser } from "../../access";
import { SIGN_IN_REQUIREMENTS } from "../../platform/caller";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { RECOGNITION_LANGUAGES } from "../../platform/languages/recognition";
import { levelsTag, nameSchema, patchSchema } from "../fields";
import { MAX_RECOGNITION_LANGUAGES } from "../limits";
import { deletionQuery } from "../trash/trash";
import {
  deletedOrganizationSchema,
  deleteOrganization,
  listDeletedOrganizations,
  restoreOrganization,
} from "./deletion";
import {
  changeOrganization,
  createOrganization,
  listOrganizations,
  organizationSchema,
  presentOrganization,
  readOrganization,
} from "./organizations";

export const organizationRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Organizations"] });
const params = z.object({ organizationId: idSchema });

const organizationCreateSchema = z
  .strictObject({
    name: nameSchema,
    region: z.string().min(1).max(32).optional().openapi({
      description:
        "Where its rows are stored, if the service has regions: the name of one. Without it the service chooses.",
      example: "eu",
    }),
  })
  .openapi("OrganizationCreate", { example: { name: "Harbour" } });

organizationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs",
    placed: "none",
    operationId: "listOrganizations",
    summary: "List your organizations",
    request: { query: pageQuery },
    responses: {
      200: json(pageSchema("OrganizationList", organizationSchema), "A page of organizations"),
    },
  }),
  async (c) => c.json(await listOrganizations(c.get("context"), c.req.valid("query")), 200),
);

organizationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs",
    locates: "/v1/orgs/{id}",
    placed: "none",
    operationId: "createOrganization",
    summary: "Create an organization",
    description: "You become its owner.",
    request: { body: jsonBody(organizationCreateSchema) },
    responses: { 201: json(organizationSchema, "The organization") },
  }),
  async (c) => {
    const organization = await createOrganization(c.get("context"), c.req.valid("json"));
    setRevision(c, organization.revision, `${organization.role}-${levelsTag(organization.capabilities)}`);
    return c.json(organization, 201);
  },
);

organizationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/deleted",
    placed: "none",
    operationId: "listDeletedOrganizations",
    summary: "List your deleted organizations",
    description:
      "Lists the organizations that you own and that wait for their removal, and the receipts of those that were removed. Needs a session, or a token without restrictions.",
    request: {
      query: pageQuery.extend({
        all: z
          .enum(["true", "false"])
          .default("false")
          .transform((text) => text === "true")
          .openapi({
            type: "boolean",
            description: "Lists the deleted organizations of all owners. Only for administrators of the service.",
          }),
      }),
    },
    responses: {
      200: json(pageSchema("DeletedOrganizationList", deletedOrganizationSchema), "A page of deleted organizations"),
    },
  }),
  async (c) => c.json(await listDeletedOrganizations(c.get("context"), c.req.valid("query")), 200),
);

organizationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs/{organizationId}/restore",
    operationId: "restoreOrganization",
    summary: "Restore a deleted organization",
    description: "Until its removal begins. For its owners, and for administrators of the service.",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    await restoreOrganization(c.get("context"), c.req.valid("param").organizationId);
    return c.body(null, 204);
  },
);

organizationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}",
    operationId: "getOrganization",
    summary: "Get an organization",
    request: { params },
    responses: { 200: json(organizationSchema, "The organization") },
  }),
  async (c) => {
    const context = c.get("context");
    const row = await readOrganization(context, c.req.valid("param").organizationId);
    const moving = (await movesUnderWay(context, [row.id])).get(row.id);
    const organization = presentOrganization(requireUser(context), row, moving);
    const tag = `${organization.role}-${levelsTag(organization.capabilities)}`;
    setRevision(c, organization.revision, moving ? `${tag}-${moving.done}` : tag);
    return c.json(organization, 200);
  },
);

organizationRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/orgs/{organizationId}",
    operationId: "updateOrganization",
    summary: "Change an organization",
    request: {
      params,
      body: jsonBody(
        patchSchema({
          name: nameSchema,
          recognizesScans: z.boolean(),
          recognitionLanguages: z
            .array(z.enum(RECOGNITION_LANGUAGES))
            .min(1)
            .max(MAX_RECOGNITION_LANGUAGES)
            .refine((all) => new Set(all).size === all.length, "must name each language once")
            .openapi({ example: ["nl", "pl"] }),
          recognizeAgain: z.boolean().openapi({
            description:
              "Whether scans that are recognized already are read again, in the languages after this change. Each page counts as a job of the month.",
          }),
          signInRequirement: z.enum(SIGN_IN_REQUIREMENTS),
        }).openapi("OrganizationUpdate"),
      ),
    },
    responses: { 200: json(organizationSchema, "The organization") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { organizationId } = c.req.valid("param");
    const changed = await changeOrganization(c.get("context"), organizationId, body, preconditionOf(c, body));
    setRevision(c, changed.revision, `${changed.role}-${levelsTag(changed.capabilities)}`);
    return c.json(changed, 200);
  },
);

organizationRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/orgs/{organizationId}",
    operationId: "deleteOrganization",
    summary: "Delete an organization with everything in it",
    description:
      "Only for its owners. It is hidden at once, and its cameras and share links stop. An owner can restore it during the recovery window. Then a job removes its contents.",
    request: { params, query: deletionQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { purge } = c.req.valid("query");
    await deleteOrganization(c.get("context"), c.req.valid("param").organizationId, preconditionOf(c, {}), purge);
    return c.body(null, 204);
  },
);
