import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import {
  deliveryDetailSchema,
  deliverySchema,
  listDeliveries,
  readDelivery,
  repeatDelivery,
  testWebhook,
} from "./deliveries";

export const deliveryRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Webhooks"] });
const ofWebhook = z.object({ organizationId: idSchema, webhookId: idSchema });
const params = ofWebhook.extend({ deliveryId: idSchema });

deliveryRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}/test",
    locates: "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{id}",
    operationId: "testWebhook",
    summary: "Send a test to a webhook",
    description: "The service sends a request of the type `ping`. Get the delivery to see its result.",
    request: { params: ofWebhook },
    responses: { 202: json(deliverySchema, "The delivery") },
  }),
  async (c) => {
    const { organizationId, webhookId } = c.req.valid("param");
    return c.json(await testWebhook(c.get("context"), organizationId, webhookId), 202);
  },
);

deliveryRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries",
    operationId: "listWebhookDeliveries",
    summary: "List the deliveries of a webhook",
    description: "Newest first. Deliveries are kept for 30 days.",
    request: { params: ofWebhook, query: pageQuery },
    responses: { 200: json(pageSchema("WebhookDeliveryList", deliverySchema), "One page of deliveries") },
  }),
  async (c) => {
    const { organizationId, webhookId } = c.req.valid("param");
    return c.json(await listDeliveries(c.get("context"), organizationId, webhookId, c.req.valid("query")), 200);
  },
);

deliveryRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}",
    operationId: "getWebhookDelivery",
    summary: "Get a delivery with its request and its answer",
    request: { params },
    responses: { 200: json(deliveryDetailSchema, "The delivery") },
  }),
  async (c) => {
    const { organizationId, webhookId, deliveryId } = c.req.valid("param");
    return c.json(await readDelivery(c.get("context"), organizationId, webhookId, deliveryId), 200);
  },
);

deliveryRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/repeat",
    locates: "/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{id}",
    operationId: "repeatWebhookDelivery",
    summary: "Send a delivery again",
    description: "The request has the same `webhook-id`. The access of the subscriber decides again what is sent.",
    request: { params },
    responses: { 202: json(deliverySchema, "The delivery") },
  }),
  async (c) => {
    const { organizationId, webhookId, deliveryId } = c.req.valid("param");
    return c.json(await repeatDelivery(c.get("context"), organizationId, webhookId, deliveryId), 202);
  },
);
