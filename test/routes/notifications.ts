import { mintNotification } from "../support/notifications";
import type { RouteRow } from "./row";
import type { World } from "./world";

/** A notification in the owner's inbox, about their organization. */
const notified = ({ owner, organizationId }: World, state?: Parameters<typeof mintNotification>[2]): Promise<string> =>
  mintNotification(owner.userId, { originType: "organization", originId: organizationId, organizationId }, state);

export const notificationRoutes: readonly RouteRow[] = [
  { route: "GET /v1/notifications/bootstrap", who: "user", request: () => ({}), status: 200 },
  { route: "GET /v1/notifications", who: "user", request: () => ({}), status: 200, list: true },
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
  ...(
    [
      ["unread", { readAt: 1 }],
      ["archive", {}],
      ["unarchive", { archivedAt: 1 }],
    ] as const
  ).map(
    ([change, state]): RouteRow => ({
      route: `POST /v1/notifications/${change}`,
      who: "user",
      request: async (world) => ({ body: { notificationIds: [await notified(world, state)] } }),
      status: 200,
    }),
  ),
  { route: "GET /v1/chat/summary", who: "user", request: () => ({}), status: 200 },
];
