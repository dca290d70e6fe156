import { z } from "zod";
import { expectJson } from "../support/call";
import { mintMember, mintPerson } from "../support/factories";
import type { RouteRow } from "./row";
import { SECRET, type World } from "./world";

const newAddress = () => `${SECRET}-${crypto.randomUUID()}@people.test`;
const invited = z.object({ invitation: z.object({ id: z.string(), token: z.string() }) });

/** An invitation that the organization's owner created through the API. */
async function invite({ organizationId, owner }: World, email: string) {
  const body = { email, role: "guest" };
  const path = `/v1/orgs/${organizationId}/members`;
  return (await expectJson(invited, 201, "POST", path, { token: owner.token, body })).invitation;
}

const inOrganization = ({ organizationId }: World) => ({ params: { organizationId } });
const onMember = async ({ organizationId }: World) => ({
  params: { organizationId, userId: (await mintMember(organizationId)).userId },
});

export const memberRoutes: readonly RouteRow[] = [
  {
    route: "GET /v1/orgs/:organizationId/members",
    who: { needs: { OrganizationView: "Read" } },
    request: inOrganization,
    status: 200,
    list: true,
  },
  {
    route: "POST /v1/orgs/:organizationId/members",
    who: "organization-admin",
    request: (world) => ({ ...inOrganization(world), body: { email: newAddress(), role: "guest" } }),
    status: 201,
    audited: ["invitation.created"],
  },
  {
    route: "GET /v1/orgs/:organizationId/members/:userId",
    who: { needs: { OrganizationView: "Read" } },
    request: onMember,
    status: 200,
  },
  {
    route: "PATCH /v1/orgs/:organizationId/members/:userId",
    who: "organization-admin",
    request: async (world) => ({ ...(await onMember(world)), body: { role: "guest" } }),
    status: 200,
    audited: ["member.changed"],
  },
  {
    route: "DELETE /v1/orgs/:organizationId/members/:userId",
    who: "organization-admin",
    request: onMember,
    status: 204,
    audited: ["member.removed"],
  },
  {
    route: "GET /v1/orgs/:organizationId/invitations",
    who: "organization-admin",
    request: inOrganization,
    status: 200,
    list: true,
  },
  {
    route: "DELETE /v1/orgs/:organizationId/invitations/:invitationId",
    who: "organization-admin",
    request: async (world) => ({
      params: { organizationId: world.organizationId, invitationId: (await invite(world, newAddress())).id },
    }),
    status: 204,
    audited: ["invitation.revoked"],
  },
  {
    route: "POST /v1/invitations/preview",
    changesNone: true,
    answersAnew: true,
    who: "anyone",
    request: async (world) => ({ body: { token: (await invite(world, newAddress())).token } }),
    status: 200,
  },
  {
    route: "POST /v1/invitations/accept",
    who: "user",
    request: async (world) => {
      const email = newAddress();
      const { token } = await invite(world, email);
      return { token: (await mintPerson({ email })).token, body: { token } };
    },
    status: 200,
    audited: ["invitation.accepted"],
  },
];
