import { env } from "cloudflare:workers";
import { newIdIn } from "../../src/platform/ids";
import { createHook, newReceiver } from "../support/webhooks";
import type { Built, RouteRow } from "./row";
import type { World } from "./world";

const who = "organization-admin";

const ofOrganization = ({ organizationId }: World) => ({ organizationId });

/** A webhook of the owner. */
async function onHook(world: World): Promise<Built & { params: { organizationId: string; webhookId: string } }> {
  const { organizationId } = ofOrganization(world);
  // Each row makes its own, and an organization has a maximum of them.
  await env.DB.prepare(
    `DELETE FROM webhooks WHERE organization_id = ?1 AND id NOT IN (
      SELECT id FROM webhooks WHERE organization_id = ?1 ORDER BY id DESC LIMIT 10)`,
  )
    .bind(organizationId)
    .run();
  const { id: webhookId } = await createHook(organizationId, world.owner, {
    url: newReceiver(),
    types: ["document.uploaded"],
  });
  return { params: { organizationId, webhookId } };
}

/** A delivery that has ended. */
async function onDelivery(world: World): Promise<Built> {
  const { params } = await onHook(world);
  const { organizationId, webhookId } = params;
  const deliveryId = newIdIn(organizationId);
  await env.DB.prepare(
    `INSERT INTO webhook_deliveries (webhook_id, id, organization_id, type, status, next_at, created_at)
      VALUES (?, ?, ?, 'ping', 'succeeded', 0, ?)`,
  )
    .bind(webhookId, deliveryId, organizationId, Date.now())
    .run();
  return { params: { ...params, deliveryId } };
}

const hooks = "/v1/orgs/:organizationId/webhooks";

export const webhookRoutes: readonly RouteRow[] = [
  {
    route: `GET ${hooks}`,
    who,
    request: async (world) => {
      await onHook(world);
      return { params: ofOrganization(world) };
    },
    status: 200,
    list: true,
  },
  {
    route: `POST ${hooks}`,
    who,
    request: (world) => ({
      params: ofOrganization(world),
      body: { name: "Archive", url: newReceiver(), types: ["document.uploaded"] },
    }),
    status: 201,
    refusesCeilings: true,
    audited: ["webhook.created"],
  },
  { route: `GET ${hooks}/:webhookId`, who, request: onHook, status: 200 },
  {
    route: `PATCH ${hooks}/:webhookId`,
    who,
    request: async (world) => ({ ...(await onHook(world)), body: { name: "Another" } }),
    status: 200,
    audited: ["webhook.changed"],
  },
  { route: `DELETE ${hooks}/:webhookId`, who, request: onHook, status: 204, audited: ["webhook.deleted"] },
  {
    route: `POST ${hooks}/:webhookId/rotate-secret`,
    who,
    request: onHook,
    status: 200,
    audited: ["webhook.secret-rotated"],
  },
  { route: `POST ${hooks}/:webhookId/test`, who, request: onHook, status: 202 },
  { route: `GET ${hooks}/:webhookId/deliveries`, who, request: onHook, status: 200, list: true },
  { route: `GET ${hooks}/:webhookId/deliveries/:deliveryId`, who, request: onDelivery, status: 200 },
  {
    route: `POST ${hooks}/:webhookId/deliveries/:deliveryId/repeat`,
    who,
    request: onDelivery,
    status: 202,
    audited: ["webhook.delivery-repeated"],
  },
];
