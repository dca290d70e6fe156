import { z } from "@hono/zod-openapi";
import { contextAt, forUsers, requireUser } from "../access";
import type { Context } from "../platform/context";
import { createRouter, json, noContent, routeOf } from "../platform/http/router";
import { idSchema } from "../platform/ids";
import { instantSchema } from "../platform/time";
import { ZIP_ANSWERS } from "../platform/zip/send";
import { downloadExport } from "./download";
import {
  cancelExport,
  personal,
  presentExport,
  requireExport,
  requireLatestExport,
  startExport,
  workspaceExportSchema,
} from "./exports";
import { MAX_EXPORT_TICKET_LENGTH, MAX_NAMED_EXPORT_CAMERAS } from "./limits";

export const exportRoutes = createRouter();

const tags = ["Exports"];
const route = routeOf({ ...forUsers, tags });
const openRoute = routeOf({ tags });

/** The caller's personal workspace, and a context in its database, which the address does not name. */
async function ownWorkspace(context: Context) {
  const own = personal(requireUser(context));
  return { own, context: await contextAt(context, own.tenantId) };
}

const ofOrganization = z.object({ organizationId: idSchema });
const operation = z.object({ operationId: idSchema });

const newExport = z
  .strictObject({
    images: z
      .strictObject({
        cameraIds: z.array(idSchema).min(1).max(MAX_NAMED_EXPORT_CAMERAS).optional(),
        fromUtc: instantSchema.optional(),
        toUtc: instantSchema.optional(),
      })
      .refine(({ fromUtc, toUtc }) => fromUtc === undefined || toUtc === undefined || fromUtc <= toUtc, {
        message: "toUtc must not be before fromUtc",
        path: ["toUtc"],
      })
      .optional()
      .openapi({ description: "The images of cameras. Without it the export has none. Both ends are included." }),
  })
  .openapi("WorkspaceExportCreate");

exportRoutes.openapi(
  route({
    method: "post",
    path: "/v1/orgs/{organizationId}/exports",
    locates: "/v1/orgs/{organizationId}/exports/{operationId}",
    operationId: "createOrganizationExport",
    summary: "Export an organization",
    description:
      "The export is one ZIP with the documents and their versions, the chosen images, all rows, and an index that works offline. Only for owners. One export is prepared at a time.",
    request: { params: ofOrganization, body: { content: { "application/json": { schema: newExport } } } },
    responses: { 202: json(workspaceExportSchema, "The operation. Request it again until it is ready") },
  }),
  async (c) => {
    const context = c.get("context");
    const { organizationId } = c.req.valid("param");
    const { images } = c.req.valid("json");
    const chosen =
      images === undefined
        ? null
        : { cameraIds: images.cameraIds ?? null, from: images.fromUtc ?? null, to: images.toUtc ?? null };
    const row = await startExport(context, { tenantId: organizationId, organizationId }, chosen);
    return c.json(await presentExport(context, row), 202);
  },
);

exportRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/exports/latest",
    operationId: "getLatestOrganizationExport",
    summary: "Get the latest export of an organization",
    request: { params: ofOrganization },
    responses: { 200: json(workspaceExportSchema, "The operation") },
  }),
  async (c) => {
    const context = c.get("context");
    const { organizationId } = c.req.valid("param");
    const row = await requireLatestExport(context, { tenantId: organizationId, organizationId });
    return c.json(await presentExport(context, row), 200);
  },
);

exportRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/exports/{operationId}",
    operationId: "getOrganizationExport",
    summary: "Get the state of an export of an organization",
    request: { params: ofOrganization.extend(operation.shape) },
    responses: { 200: json(workspaceExportSchema, "The operation, with a download address when it is ready") },
  }),
  async (c) => {
    const context = c.get("context");
    const { organizationId, operationId } = c.req.valid("param");
    const row = await requireExport(context, { tenantId: organizationId, organizationId }, operationId);
    return c.json(await presentExport(context, row), 200);
  },
);

exportRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/orgs/{organizationId}/exports/{operationId}",
    operationId: "cancelOrganizationExport",
    summary: "Cancel an export of an organization",
    description: "An export that is ready is removed. One that has ended is not found.",
    request: { params: ofOrganization.extend(operation.shape) },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { organizationId, operationId } = c.req.valid("param");
    await cancelExport(c.get("context"), { tenantId: organizationId, organizationId }, operationId);
    return c.body(null, 204);
  },
);

exportRoutes.openapi(
  route({
    method: "post",
    path: "/v1/auth/me/exports",
    locates: "/v1/auth/me/exports/{operationId}",
    placed: "none",
    operationId: "createOwnExport",
    summary: "Export your own data",
    description:
      "The export has your profile, sessions, names of tokens, memberships, grants, notifications and personal workspace. It needs a credential without restrictions.",
    responses: { 202: json(workspaceExportSchema, "The operation. Request it again until it is ready") },
  }),
  async (c) => {
    const { context, own } = await ownWorkspace(c.get("context"));
    const row = await startExport(context, own, null);
    return c.json(await presentExport(context, row), 202);
  },
);

exportRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/me/exports/latest",
    placed: "none",
    operationId: "getLatestOwnExport",
    summary: "Get the latest export of your own data",
    responses: { 200: json(workspaceExportSchema, "The operation") },
  }),
  async (c) => {
    const { context, own } = await ownWorkspace(c.get("context"));
    return c.json(await presentExport(context, await requireLatestExport(context, own)), 200);
  },
);

exportRoutes.openapi(
  route({
    method: "get",
    path: "/v1/auth/me/exports/{operationId}",
    placed: "none",
    operationId: "getOwnExport",
    summary: "Get the state of an export of your own data",
    request: { params: operation },
    responses: { 200: json(workspaceExportSchema, "The operation, with a download address when it is ready") },
  }),
  async (c) => {
    const { context, own } = await ownWorkspace(c.get("context"));
    const row = await requireExport(context, own, c.req.valid("param").operationId);
    return c.json(await presentExport(context, row), 200);
  },
);

exportRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/auth/me/exports/{operationId}",
    placed: "none",
    operationId: "cancelOwnExport",
    summary: "Cancel an export of your own data",
    description: "An export that is ready is removed. One that has ended is not found.",
    request: { params: operation },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { context, own } = await ownWorkspace(c.get("context"));
    await cancelExport(context, own, c.req.valid("param").operationId);
    return c.body(null, 204);
  },
);

exportRoutes.openapi(
  openRoute({
    method: "get",
    path: "/v1/workspace-exports/{operationId}/download",
    operationId: "downloadWorkspaceExport",
    summary: "Download the ZIP of an export of a workspace",
    description: "You can download it whole or in ranges. The address with its ticket is `downloadUrl` of the export.",
    request: { params: operation, query: z.object({ ticket: z.string().max(MAX_EXPORT_TICKET_LENGTH) }) },
    responses: ZIP_ANSWERS,
  }),
  async (c) => {
    const { operationId } = c.req.valid("param");
    return downloadExport(c.get("context"), operationId, c.req.valid("query").ticket, c.req.raw);
  },
);
