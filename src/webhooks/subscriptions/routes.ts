import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  newWebhookSchema,
  presentWebhook,
  requireWebhook,
  rotateSecret,
  updateWebhook,
  webhookChangeSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from "./subscriptions";

export const subscriptionRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Webhooks"] });
const ofOrganization = z.object({ organizationId: idSchema });
const params = ofOrganization.extend({ webhookId: idSchema });

subscriptionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/webhooks",
    operationId: "listWebhooks",
    summary: "List the webhooks of an organization",
    description: "Only for owners and admins.",
    request: { params: ofOrganization, query: pageQuery },
    responses: { 200: json(pageSchema("WebhookList", webhookSchema), "One page of webhooks") },
  }),
  async (c) => {
    const { organizationId } = c.req.valid("param");
    return c.json(await listWebhooks(c.get("context"), organizationId, c.req.valid("query")), 200);
  },
);

subscriptionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs/{organizationId}/webhooks",
    locates: "/v1/orgs/{organizationId}/webhooks/{id}",
    operationId: "createWebhook",
    summary: "Create a webhook",
    description:
      "The service sends the chosen events to the address, signed as Standard Webhooks says. What is sent follows your access, read again for each request.",
    request: { params: ofOrganization, body: jsonBody(newWebhookSchema) },
    responses: { 201: json(webhookWithSecretSchema, "The webhook, with its secret") },
  }),
  async (c) => {
    const { organizationId } = c.req.valid("param");
    const webhook = await createWebhook(c.get("context"), organizationId, c.req.valid("json"));
    setRevision(c, webhook.revision);
    return c.json(webhook, 201);
  },
);

subscriptionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}",
    operationId: "getWebhook",
    summary: "Get a webhook",
    request: { params },
    responses: { 200: json(webhookSchema, "The webhook") },
  }),
  async (c) => {
    const context = c.get("context");
    const { organizationId, webhookId } = c.req.valid("param");
    const found = await requireWebhook(context, organizationId, webhookId);
    const { failingSince, lastSuccessAt, formerUntil, revision } = found.webhook;
    // The answer shows how the last tries ended, and the name of a person.
    const progress = [
      failingSince,
      lastSuccessAt,
      (formerUntil ?? 0) > context.now ? 1 : 0,
      found.subscriberName?.length,
    ];
    setRevision(c, revision, progress.map((part) => part ?? 0).join("-"));
    return c.json(presentWebhook(found, context.now), 200);
  },
);

subscriptionRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}",
    operationId: "updateWebhook",
    summary: "Update a webhook",
    description:
      "If you change the address, add types or switch the webhook on, it follows your access from then on. Deliveries that wait are sent when it is switched on.",
    request: { params, body: jsonBody(webhookChangeSchema) },
    responses: { 200: json(webhookSchema, "The webhook") },
  }),
  async (c) => {
    const { organizationId, webhookId } = c.req.valid("param");
    const { baseRevision, ...given } = c.req.valid("json");
    const precondition = preconditionOf(c, { baseRevision });
    const webhook = await updateWebhook(c.get("context"), organizationId, webhookId, given, precondition);
    setRevision(c, webhook.revision);
    return c.json(webhook, 200);
  },
);

subscriptionRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}",
    operationId: "deleteWebhook",
    summary: "Delete a webhook and its deliveries",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { organizationId, webhookId } = c.req.valid("param");
    await deleteWebhook(c.get("context"), organizationId, webhookId, preconditionOf(c, {}));
    return c.body(null, 204);
  },
);

subscriptionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs/{organizationId}/webhooks/{webhookId}/rotate-secret",
    operationId: "rotateWebhookSecret",
    summary: "Create another secret of a webhook",
    description: "Requests are signed with both secrets for 24 hours. Enter the new one at the receiver in this time.",
    request: { params },
    responses: { 200: json(webhookWithSecretSchema, "The webhook, with its new secret") },
  }),
  async (c) => {
    const { organizationId, webhookId } = c.req.valid("param");
    const webhook = await rotateSecret(c.get("context"), organizationId, webhookId, preconditionOf(c, {}));
    setRevision(c, webhook.revision);
    return c.json(webhook, 200);
  },
);
