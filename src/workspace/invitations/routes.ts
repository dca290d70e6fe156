import { z } from "@hono/zod-openapi";
import { forUsers, ROLES } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { createRouter, json, jsonBody, noContent, orNull, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { invitationSchema, listInvitations, revokeInvitation } from "./invitations";
import { acceptInvitation, type Kinds, previewInvitation } from "./redemption";

const tags = ["Members"];
const route = routeOf({ ...forUsers, tags });
const openRoute = routeOf({ tags });
const inOrganization = z.object({ organizationId: idSchema });

const tokenBody = jsonBody(z.strictObject({ token: z.string().min(1).max(200) }).openapi("InvitationToken"));
const sharedThing = z
  .object({ kind: z.enum(["cluster", "location", "document"]), id: idSchema, name: z.string() })
  .openapi("InvitationShare");

/** The routes of invitations. `kinds` are the kinds of resources that they can share. */
export function invitationRoutes(kinds: Kinds) {
  const router = createRouter();
  router.openapi(
    route({
      method: "get",
      path: "/v1/orgs/{organizationId}/invitations",
      operationId: "listInvitations",
      summary: "List the open invitations of an organization",
      request: { params: inOrganization, query: pageQuery },
      responses: { 200: json(pageSchema("InvitationList", invitationSchema), "A page of invitations") },
    }),
    async (c) =>
      c.json(await listInvitations(c.get("context"), c.req.valid("param").organizationId, c.req.valid("query")), 200),
  );

  router.openapi(
    route({
      method: "delete",
      path: "/v1/orgs/{organizationId}/invitations/{invitationId}",
      operationId: "deleteInvitation",
      summary: "Withdraw an invitation",
      request: { params: inOrganization.extend({ invitationId: idSchema }) },
      responses: { 204: noContent },
    }),
    async (c) => {
      const { organizationId, invitationId } = c.req.valid("param");
      await revokeInvitation(c.get("context"), organizationId, invitationId);
      return c.body(null, 204);
    },
  );

  router.openapi(
    openRoute({
      method: "post",
      path: "/v1/invitations/preview",
      placed: "none",
      operationId: "previewInvitation",
      summary: "Preview an invitation",
      description: "For a person who has the link, before they register or sign in. It changes nothing.",
      request: { body: tokenBody },
      responses: {
        200: json(
          z
            .object({
              email: z.string(),
              organizationName: z.string(),
              role: z
                .enum(ROLES)
                .openapi({ description: "The role. It is `guest` for a share, which gives no membership." }),
              share: orNull(sharedThing).openapi({
                description: "What is shared. Null if the invitation gives a membership.",
              }),
            })
            .openapi("InvitationPreview"),
          "The address, the organization, and the role or what is shared",
        ),
      },
    }),
    async (c) => c.json(await previewInvitation(c.get("context"), kinds, c.req.valid("json").token), 200),
  );

  router.openapi(
    route({
      method: "post",
      path: "/v1/invitations/accept",
      placed: "none",
      operationId: "acceptInvitation",
      summary: "Accept an invitation",
      request: { body: tokenBody },
      responses: {
        200: json(
          z
            .object({
              organizationId: idSchema,
              role: z.enum(ROLES).openapi({ description: "Your role. It is `guest` if you are no member." }),
              share: orNull(sharedThing).openapi({
                description: "What is shared with you. Null if the invitation gave a membership.",
              }),
            })
            .openapi("AcceptedInvitation"),
          "Your organization, and your role or what is shared with you",
        ),
      },
    }),
    async (c) => c.json(await acceptInvitation(c.get("context"), kinds, c.req.valid("json").token), 200),
  );
  return router;
}
