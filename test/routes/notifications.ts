import { notifications } from "../../src/notifications/tables";
import { newId } from "../../src/platform/ids";
import { testDatabase } from "../support/statements";
import type { RouteRow } from "./row";
import type { World } from "./world";

/** A sequence number above the service's counter. */
let seq = 1e9;

/** A notification in the owner's inbox, about their organization. */
async function notified({ owner, organizationId }: World): Promise<string> {
  const id = newId();
  await testDatabase().insert(notifications).values({
    id,
    userId: owner.userId,
    seq: ++seq,
    eventId: newId(),
    type: "membership-given",
    severity: "info",
    title: "You are a member now",
    body: "",
    originType: "organization",
    originId: organizationId,
    originData: {},
    organizationId,
    createdAt: Date.now(),
  });
  return id;
}

export const notificationRoutes: readonly RouteRow[] = [
  { route: "GET /v1/notifications/bootstrap", who: "user", request: () => ({}), status: 200 },
  { route: "GET /v1/notifications", who: "user", request: () => ({}), status: 200 },
  { route: "GET /v1/notifications/unread-count", who: "user", request: () => ({}), status: 200 },
  { route: "GET /v1/notifications/preferences", who: "user", request: () => ({}), status: 200 },
  {
    route: "PUT /v1/notifications/preferences",
    who: "user",
    request: () => ({ body: { "grant-given": { inApp: true } } }),
    status: 200,
    audited: ["notification-preferences.changed"],
  },
  {
    route: "PATCH /v1/notifications/:notificationId/read",
    who: "user",
    request: async (world) => ({ params: { notificationId: await notified(world) } }),
    status: 200,
  },
  {
    route: "POST /v1/notifications/read",
    answersAnew: true,
    who: "user",
    request: () => ({ body: { all: true } }),
    status: 200,
  },
  { route: "GET /v1/chat/summary", who: "user", request: () => ({}), status: 200 },
];
