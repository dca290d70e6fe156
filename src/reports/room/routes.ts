import { z } from "@hono/zod-openapi";
import { Hono } from "hono";
import { forUsers } from "../../access";
import type { AppEnv } from "../../platform/context";
import { readSigned } from "../../platform/crypto/tokens";
import { DomainError } from "../../platform/errors";
import { problemResponse } from "../../platform/http/problem";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema, newId } from "../../platform/ids";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import { reach } from "../../platform/outages";
import { settingsOf } from "../../platform/settings";
import { bootstrapRoom, bootstrapSchema, ROOM_TOKEN, ROOMS_PATH } from "./bootstrap";
import { ARRIVAL_HEADER, arrivalSchema, closeFor } from "./member";

export const collaborationRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Reports"] });

collaborationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/reports/{reportId}/collaboration/bootstrap",
    operationId: "startReportCollaboration",
    summary: "Start editing a draft together",
    description: "Returns the data that a y-websocket provider needs to connect.",
    request: { params: z.object({ reportId: idSchema }) },
    responses: { 200: json(bootstrapSchema, "The connection data for the provider") },
  }),
  async (c) => c.json(await bootstrapRoom(c.get("context"), c.req.valid("param").reportId), 200),
);

/**
 * The WebSocket route of the rooms. It is mounted before all middleware, because the answer of a socket takes no
 * headers.
 */
export const roomRoutes = new Hono<AppEnv>();

roomRoutes.all(`${ROOMS_PATH}/:reportId`, async (c) => {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
    const refusal = new DomainError(
      "malformed-request",
      "This address accepts only WebSockets. Connect with a y-websocket provider.",
    );
    return problemResponse(refusal, c.req.path, newId(), DEFAULT_LANGUAGE);
  }
  const { OBJECT_SIGNING_SECRET } = settingsOf(c.env);
  const arrival = await readSigned(OBJECT_SIGNING_SECRET, ROOM_TOKEN, c.req.query("token") ?? "", arrivalSchema);
  // A browser can read the reason only from an open socket. So the socket is opened, then closed with the reason.
  if (arrival === null || arrival.reportId !== c.req.param("reportId")) return closed("forbidden");
  if (arrival.expiresAt <= Date.now()) return closed("expired");
  const headers = new Headers(c.req.raw.headers);
  headers.set(ARRIVAL_HEADER, JSON.stringify(arrival));
  const { status, webSocket } = await reach("durable object", () =>
    c.env.REPORT_ROOM.getByName(arrival.reportId).fetch(new Request(c.req.raw, { headers })),
  );
  // A new answer, because the headers of a fetched one cannot be changed.
  return new Response(null, { status, webSocket });
});

function closed(reason: "forbidden" | "expired"): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  closeFor(server, reason);
  return new Response(null, { status: 101, webSocket: client });
}
