import { z } from "@hono/zod-openapi";
import { forUsers } from "../access";
import { pageQuery } from "../platform/db/cursor";
import { numberSchema } from "../platform/http/fields";
import { createRouter, json, jsonBody, routeOf } from "../platform/http/router";
import { idSchema } from "../platform/ids";
import { chatSummary, chatSummarySchema } from "./chat";
import { countUnread, listInbox, markAllRead, markOneRead, markSomeRead, notificationSchema } from "./inbox";
import { MAX_MARKED } from "./limits";
import { preferencesSchema, preferencesWriteSchema, readPreferences, writePreferences } from "./preferences";

/** The path of the live hub. Clients read it from the bootstrap. */
const HUB_PATH = "/sync-hub";
/** The default page size, the largest page and the largest offset. */
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_OFFSET = 100_000;

const route = routeOf({ ...forUsers, tags: ["Notifications"], placed: "none" });
const unread = z.object({ unreadCount: z.int() }).openapi("UnreadCount");

export const notificationRoutes = createRouter();

notificationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/notifications/bootstrap",
    operationId: "getNotificationBootstrap",
    summary: "Get the live hub's path and the unread count",
    responses: {
      200: json(
        z.object({ hubPath: z.string(), unreadCount: z.int() }).openapi("NotificationBootstrap"),
        "The path of the hub and the unread count",
      ),
    },
  }),
  async (c) => c.json({ hubPath: HUB_PATH, unreadCount: await countUnread(c.get("context")) }, 200),
);

const listQuery = z.object({
  offset: numberSchema(0, MAX_OFFSET).default(0),
  limit: numberSchema(1, MAX_LIMIT).default(DEFAULT_LIMIT),
  unreadOnly: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false),
  sinceSeq: numberSchema(0).default(0).openapi({
    description:
      "Only notifications after this `seq`. A service with several databases repeats those of the minute before it, because their clocks can differ.",
  }),
  cursor: pageQuery.shape.cursor.openapi({
    description:
      "`nextCursor` of the previous page. Unlike `offset`, it skips nothing when notifications are read or arrive meanwhile.",
  }),
});
const listPage = z
  .object({
    items: z.array(notificationSchema),
    offset: z.int(),
    limit: z.int(),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().openapi({ description: "Send this as `cursor` to get the next page." }),
  })
  .openapi("NotificationList");

notificationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/notifications",
    operationId: "listNotifications",
    summary: "List your notifications, newest first",
    request: { query: listQuery },
    responses: { 200: json(listPage, "One page of the visible notifications") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    return c.json({ ...(await listInbox(c.get("context"), query)), offset: query.offset, limit: query.limit }, 200);
  },
);

notificationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/notifications/unread-count",
    operationId: "getUnreadCount",
    summary: "Get the number of unread notifications",
    responses: { 200: json(unread, "The count") },
  }),
  async (c) => c.json({ unreadCount: await countUnread(c.get("context")) }, 200),
);

notificationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/notifications/preferences",
    operationId: "getNotificationPreferences",
    summary: "Get your notification preferences",
    responses: { 200: json(preferencesSchema, "The preferences") },
  }),
  async (c) => c.json(await readPreferences(c.get("context")), 200),
);

notificationRoutes.openapi(
  route({
    method: "put",
    path: "/v1/notifications/preferences",
    operationId: "updateNotificationPreferences",
    summary: "Turn types of notification on or off",
    request: { body: jsonBody(preferencesWriteSchema) },
    responses: { 200: json(preferencesSchema, "The preferences now") },
  }),
  async (c) => c.json(await writePreferences(c.get("context"), c.req.valid("json")), 200),
);

notificationRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/notifications/{notificationId}/read",
    operationId: "markNotificationRead",
    summary: "Mark one notification as read",
    request: { params: z.object({ notificationId: idSchema }) },
    responses: { 200: json(unread, "The count now") },
  }),
  async (c) => c.json({ unreadCount: await markOneRead(c.get("context"), c.req.valid("param").notificationId) }, 200),
);

const readBody = z
  .union([
    z.strictObject({ notificationIds: z.array(idSchema).min(1).max(MAX_MARKED) }),
    z.strictObject({ all: z.literal(true) }),
  ])
  .openapi("MarkNotificationsRead");

notificationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/notifications/read",
    operationId: "markNotificationsRead",
    summary: "Mark several or all notifications as read",
    request: { body: jsonBody(readBody) },
    responses: { 200: json(unread, "The count now") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const context = c.get("context");
    const unreadCount = "all" in body ? await markAllRead(context) : await markSomeRead(context, body.notificationIds);
    return c.json({ unreadCount }, 200);
  },
);

notificationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/chat/summary",
    operationId: "getChatSummary",
    summary: "Get the counts of the chat catalog",
    responses: { 200: json(chatSummarySchema, "The counts; null while unavailable or stale") },
  }),
  async (c) => c.json(await chatSummary(c.get("context")), 200),
);
