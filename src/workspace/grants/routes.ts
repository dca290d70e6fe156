import { z } from "@hono/zod-openapi";
import { capabilityMapSchema, emailSchema, forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { instantOrNullSchema, instantSchema } from "../../platform/time";
import { patchSchema } from "../fields";
import type { ShareableKind } from "../grantable";
import { createGrant, deleteGrant, grantSchema, listGrants, readGrant, updateGrant } from "./grants";
import { deleteWaitingShare, listWaitingShares, readWaitingShare, waitingShareSchema } from "./waiting-shares";

const newGrant = z
  .strictObject({
    userId: idSchema.optional(),
    email: emailSchema.optional(),
    capabilities: capabilityMapSchema,
    expiresAtUtc: instantSchema.optional(),
  })
  .refine(({ userId, email }) => (userId === undefined) !== (email === undefined), "name either userId or email")
  .openapi("GrantCreate", {
    example: { email: "ada@example.org", capabilities: { Documents: "Read", LocationView: "Read" } },
  });

const grantChange = patchSchema({ capabilities: capabilityMapSchema, expiresAtUtc: instantOrNullSchema }).openapi(
  "GrantUpdate",
);

/** The routes of the grants on one kind of resource. */
function routesOf(kind: ShareableKind) {
  const router = createRouter();
  const { target, path } = kind;
  const param = `${target}Id`;
  const route = routeOf({ ...forUsers, tags: ["Grants"] });
  const name = { cluster: "Cluster", location: "Location", document: "Document" }[target];
  const ofThing = z.object({ [param]: idSchema });
  const ofGrant = ofThing.extend({ grantId: idSchema });
  const ofWaiting = ofThing.extend({ waitingShareId: idSchema });
  const idIn = (params: Record<string, string>, name = param): string => params[name] ?? "";

  router.openapi(
    route({
      method: "get",
      path: `${path}/grants`,
      operationId: `list${name}Grants`,
      summary: `List the grants on a ${target}`,
      description: "Each grant shares it with one person.",
      request: { params: ofThing, query: pageQuery },
      responses: { 200: json(pageSchema("GrantList", grantSchema), "A page of grants") },
    }),
    async (c) =>
      c.json(await listGrants(c.get("context"), kind, idIn(c.req.valid("param")), c.req.valid("query")), 200),
  );

  router.openapi(
    route({
      method: "post",
      path: `${path}/grants`,
      locates: { 201: `${path}/grants/{id}`, 202: `${path}/waiting-shares/{id}` },
      operationId: `create${name}Grant`,
      summary: `Share a ${target} with a person`,
      description:
        "If the address has no verified account, the answer is 202: the share waits, and a link is mailed to the address. Without a mail service, and in a personal workspace, it is refused.",
      request: { params: ofThing, body: jsonBody(newGrant) },
      responses: {
        201: json(grantSchema, "The grant"),
        202: json(waitingShareSchema, "The share that waits for the person"),
      },
    }),
    async (c) => {
      const { grant, waiting } = await createGrant(
        c.get("context"),
        kind,
        idIn(c.req.valid("param")),
        c.req.valid("json"),
      );
      if (waiting !== null) return c.json(waiting, 202);
      setRevision(c, grant.revision);
      return c.json(grant, 201);
    },
  );

  router.openapi(
    route({
      method: "get",
      path: `${path}/grants/{grantId}`,
      operationId: `get${name}Grant`,
      summary: `Get a grant on a ${target}`,
      request: { params: ofGrant },
      responses: { 200: json(grantSchema, "The grant") },
    }),
    async (c) => {
      const params = c.req.valid("param");
      const grant = await readGrant(c.get("context"), kind, idIn(params), idIn(params, "grantId"));
      setRevision(c, grant.revision);
      return c.json(grant, 200);
    },
  );

  router.openapi(
    route({
      method: "patch",
      path: `${path}/grants/{grantId}`,
      operationId: `update${name}Grant`,
      summary: `Update a grant on a ${target}`,
      request: { params: ofGrant, body: jsonBody(grantChange) },
      responses: { 200: json(grantSchema, "The grant") },
    }),
    async (c) => {
      const params = c.req.valid("param");
      const body = c.req.valid("json");
      const precondition = preconditionOf(c, body);
      const grant = await updateGrant(
        c.get("context"),
        kind,
        idIn(params),
        idIn(params, "grantId"),
        body,
        precondition,
      );
      setRevision(c, grant.revision);
      return c.json(grant, 200);
    },
  );

  router.openapi(
    route({
      method: "delete",
      path: `${path}/grants/{grantId}`,
      operationId: `delete${name}Grant`,
      summary: `End a grant on a ${target}`,
      request: { params: ofGrant },
      responses: { 204: noContent },
    }),
    async (c) => {
      const params = c.req.valid("param");
      await deleteGrant(c.get("context"), kind, idIn(params), idIn(params, "grantId"), preconditionOf(c, {}));
      return c.body(null, 204);
    },
  );

  router.openapi(
    route({
      method: "get",
      path: `${path}/waiting-shares`,
      operationId: `list${name}WaitingShares`,
      summary: `List the shares of a ${target} that wait for a person`,
      description: "For people who may share it. Each waits until a person proves the address, or until its end.",
      request: { params: ofThing, query: pageQuery },
      responses: { 200: json(pageSchema("WaitingShareList", waitingShareSchema), "A page of waiting shares") },
    }),
    async (c) =>
      c.json(await listWaitingShares(c.get("context"), kind, idIn(c.req.valid("param")), c.req.valid("query")), 200),
  );

  router.openapi(
    route({
      method: "get",
      path: `${path}/waiting-shares/{waitingShareId}`,
      operationId: `get${name}WaitingShare`,
      summary: `Get a share of a ${target} that waits for a person`,
      request: { params: ofWaiting },
      responses: { 200: json(waitingShareSchema, "The waiting share") },
    }),
    async (c) => {
      const params = c.req.valid("param");
      return c.json(await readWaitingShare(c.get("context"), kind, idIn(params), idIn(params, "waitingShareId")), 200);
    },
  );

  router.openapi(
    route({
      method: "delete",
      path: `${path}/waiting-shares/{waitingShareId}`,
      operationId: `delete${name}WaitingShare`,
      summary: `End a share of a ${target} that waits for a person`,
      request: { params: ofWaiting },
      responses: { 204: noContent },
    }),
    async (c) => {
      const params = c.req.valid("param");
      await deleteWaitingShare(c.get("context"), kind, idIn(params), idIn(params, "waitingShareId"));
      return c.body(null, 204);
    },
  );
  return router;
}

/** The routes of the grants on these kinds of resources. */
export function grantRoutes(kinds: readonly ShareableKind[]) {
  const router = createRouter();
  for (const kind of kinds) router.route("/", routesOf(kind));
  return router;
}
