import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { sha256Hex } from "../../platform/crypto/bytes";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import {
  arrivalSchema,
  createMailAddress,
  deleteMailAddress,
  listArrivals,
  mailAddressChangeSchema,
  mailAddressSchema,
  mailAddressStateSchema,
  newMailAddressSchema,
  readMailAddress,
  rotateMailAddress,
  updateMailAddress,
} from "./addresses";

export const arrivalRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents by mail"] });
const params = z.object({ locationId: idSchema });

arrivalRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/mail-address",
    operationId: "getMailAddress",
    summary: "Get the mail address of a location",
    description: "Requires Write of LocationView and of Documents, as all operations of the address do.",
    request: { params },
    responses: { 200: json(mailAddressStateSchema, "The address, if the location has one") },
  }),
  async (c) => {
    const state = await readMailAddress(c.get("context"), c.req.valid("param").locationId);
    const { address } = state;
    // The answer shows the name of a person, who can change it.
    const name = await sha256Hex(address?.actsFor.displayName ?? "");
    setRevision(c, address?.revision ?? 0, `${state.isAvailable ? 1 : 0}-${name.slice(0, 16)}`);
    return c.json(state, 200);
  },
);

arrivalRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/mail-address",
    locates: "/v1/spatial/locations/{locationId}/mail-address",
    operationId: "createMailAddress",
    summary: "Create the mail address of a location",
    description:
      "Mails to the address become documents of the location: the mail itself and each attachment. They are added with your access, read again for each mail.",
    request: { params, body: jsonBody(newMailAddressSchema) },
    responses: { 201: json(mailAddressSchema, "The address") },
  }),
  async (c) => {
    const address = await createMailAddress(c.get("context"), c.req.valid("param").locationId, c.req.valid("json"));
    setRevision(c, address.revision);
    return c.json(address, 201);
  },
);

arrivalRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/spatial/locations/{locationId}/mail-address",
    operationId: "updateMailAddress",
    summary: "Update the rules of a mail address",
    description: "Null sets a rule back to its default. From then on the address adds documents with your access.",
    request: { params, body: jsonBody(mailAddressChangeSchema) },
    responses: { 200: json(mailAddressSchema, "The address") },
  }),
  async (c) => {
    const { baseRevision, ...given } = c.req.valid("json");
    const address = await updateMailAddress(
      c.get("context"),
      c.req.valid("param").locationId,
      given,
      preconditionOf(c, { baseRevision }),
    );
    setRevision(c, address.revision);
    return c.json(address, 200);
  },
);

arrivalRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/mail-address/rotate",
    operationId: "rotateMailAddress",
    summary: "Replace a mail address by another one",
    description: "The former address does not exist any more from then on. The rules stay.",
    request: { params },
    responses: { 200: json(mailAddressSchema, "The new address") },
  }),
  async (c) => {
    const { locationId } = c.req.valid("param");
    const address = await rotateMailAddress(c.get("context"), locationId, preconditionOf(c, {}));
    setRevision(c, address.revision);
    return c.json(address, 200);
  },
);

arrivalRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/spatial/locations/{locationId}/mail-address",
    operationId: "deleteMailAddress",
    summary: "Delete the mail address of a location",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    await deleteMailAddress(c.get("context"), c.req.valid("param").locationId, preconditionOf(c, {}));
    return c.body(null, 204);
  },
);

arrivalRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/mail-address/arrivals",
    operationId: "listMailArrivals",
    summary: "List the mails that came to a location",
    description: "Newest first, of the last 30 days: which were filed, and why the others were refused.",
    request: { params, query: pageQuery },
    responses: { 200: json(pageSchema("MailArrivalList", arrivalSchema), "One page of mails") },
  }),
  async (c) => {
    const { locationId } = c.req.valid("param");
    return c.json(await listArrivals(c.get("context"), locationId, c.req.valid("query")), 200);
  },
);
