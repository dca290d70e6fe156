import { z } from "@hono/zod-openapi";
import { capabilityMapSchema, emailSchema, forUsers, ROLES } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, orNull, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { patchSchema } from "../fields";
import { newInvitationSchema } from "../invitations/invitations";
import { accountDeletionSchema, deleteAccount } from "./account";
import {
  inviteMember,
  listMembers,
  type MadeLinks,
  memberSchema,
  presentMember,
  readMember,
  removeMember,
  updateMember,
} from "./members";

const route = routeOf({ ...forUsers, tags: ["Members"] });
const inOrganization = z.object({ organizationId: idSchema });
const params = inOrganization.extend({ userId: idSchema });
const standing = { role: z.enum(ROLES), overrides: capabilityMapSchema };

const removalQuery = z.object({
  revokeShareLinks: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true")
    .openapi({
      type: "boolean",
      description: "Whether the camera share links that the member made in the organization end too.",
    }),
});

/** The routes of members. `links` are the share links that members made. */
export function memberRoutes(links: MadeLinks) {
  const routes = createRouter();
  routes.openapi(
    route({
      method: "get",
      path: "/v1/orgs/{organizationId}/members",
      operationId: "listMembers",
      summary: "List the members of an organization",
      description: "A guest sees only their own membership.",
      request: { params: inOrganization, query: pageQuery },
      responses: { 200: json(pageSchema("MemberList", memberSchema), "A page of members") },
    }),
    async (c) =>
      c.json(await listMembers(c.get("context"), c.req.valid("param").organizationId, c.req.valid("query")), 200),
  );

  routes.openapi(
    route({
      method: "post",
      path: "/v1/orgs/{organizationId}/members",
      operationId: "createMember",
      summary: "Add or invite a member",
      description: "A person with a verified account becomes a member at once. Any other address gets an invitation.",
      request: {
        params: inOrganization,
        body: jsonBody(
          z
            .strictObject({ email: emailSchema, role: standing.role, overrides: standing.overrides.optional() })
            .openapi("MemberCreate"),
        ),
      },
      responses: {
        201: json(
          z
            .object({ member: orNull(memberSchema), invitation: orNull(newInvitationSchema) })
            .openapi("MemberCreateResult"),
          "The member, or the invitation with its link, which only this answer has",
        ),
      },
    }),
    async (c) => {
      const { organizationId } = c.req.valid("param");
      return c.json(await inviteMember(c.get("context"), organizationId, c.req.valid("json")), 201);
    },
  );

  routes.openapi(
    route({
      method: "get",
      path: "/v1/orgs/{organizationId}/members/{userId}",
      operationId: "getMember",
      summary: "Get a member",
      request: { params },
      responses: { 200: json(memberSchema, "The member") },
    }),
    async (c) => {
      const { organizationId, userId } = c.req.valid("param");
      const row = await readMember(c.get("context"), organizationId, userId);
      setRevision(c, row.revision);
      return c.json(presentMember(row), 200);
    },
  );

  routes.openapi(
    route({
      method: "patch",
      path: "/v1/orgs/{organizationId}/members/{userId}",
      operationId: "updateMember",
      summary: "Update a member's role or overrides",
      request: { params, body: jsonBody(patchSchema(standing).openapi("MemberUpdate")) },
      responses: { 200: json(memberSchema, "The member") },
    }),
    async (c) => {
      const { organizationId, userId } = c.req.valid("param");
      const body = c.req.valid("json");
      const member = await updateMember(c.get("context"), organizationId, userId, body, preconditionOf(c, body));
      setRevision(c, member.revision);
      return c.json(member, 200);
    },
  );

  routes.openapi(
    route({
      method: "delete",
      path: "/v1/orgs/{organizationId}/members/{userId}",
      operationId: "deleteMember",
      summary: "Remove a member, or leave an organization",
      request: { params, query: removalQuery },
      responses: { 204: noContent },
    }),
    async (c) => {
      const { organizationId, userId } = c.req.valid("param");
      const revokes = c.req.valid("query").revokeShareLinks ? links : null;
      await removeMember(c.get("context"), organizationId, userId, preconditionOf(c, {}), revokes);
      return c.body(null, 204);
    },
  );

  routes.openapi(
    route({
      method: "delete",
      path: "/v1/auth/me",
      placed: "none",
      operationId: "deleteAccount",
      summary: "Delete your account",
      description:
        "Cannot be undone. What you wrote for organizations stays, as of a deleted person; your personal workspace is removed. The only owner of an organization is refused.",
      tags: ["Authentication"],
      request: { body: jsonBody(accountDeletionSchema) },
      responses: { 204: noContent },
    }),
    async (c) => {
      await deleteAccount(c.get("context"), c.req.valid("json"), links);
      return c.body(null, 204);
    },
  );
  return routes;
}
