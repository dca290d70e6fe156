import { z } from "@hono/zod-openapi";
import { forUsers } from "../access";
import { pageQuery } from "../platform/db/cursor";
import { numberSchema } from "../platform/http/fields";
import { createRouter, json, jsonBody, routeOf } from "../platform/http/router";
import { idSchema } from "../platform/ids";
import { chatSummary, chatSummarySchema } from "./chat";
import { countUnread, listInbox, notificationSchema } from "./inbox";
import { MAX_MARKED } from "./limits";
import { markNotifications, markOneRead } from "./marks";
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
  beforeSeq: numberSchema(0).optional().openapi({ description: "Only notifications before this `seq`." }),
  order: z.enum(["newest", "oldest"]).default("newest").openapi({
    description:
      "Which notification comes first. Read what you missed with `oldest` and `sinceSeq`: after a failure you continue with the last `seq` that you have.",
  }),
  archived: z
    .stringbool({ truthy: ["true"], falsy: ["false"] })
    .default(false)
    .openapi({
      description: "With `true`, the archived notifications instead of the inbox.",
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
    summary: "List your notifications",
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

const someBody = z.strictObject({ notificationIds: z.array(idSchema).min(1).max(MAX_MARKED) });
const upToSeq = z.int().min(0).openapi({
  description: "Only notifications up to this `seq`: those that the person has seen. Newer ones stay as they are.",
});
const allBody = z.strictObject({ all: z.literal(true), upToSeq: upToSeq.optional() });

notificationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/notifications/read",
    operationId: "markNotificationsRead",
    summary: "Mark several or all notifications as read",
    request: { body: jsonBody(z.union([someBody, allBody]).openapi("MarkNotificationsRead")) },
    responses: { 200: json(unread, "The count now") },
  }),
  async (c) => c.json({ unreadCount: await markNotifications(c.get("context"), "read", c.req.valid("json")) }, 200),
);

notificationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/notifications/unread",
    operationId: "markNotificationsUnread",
    summary: "Mark several notifications as unread",
    request: { body: jsonBody(someBody.openapi("MarkNotificationsUnread")) },
    responses: { 200: json(unread, "The count now") },
  }),
  async (c) => c.json({ unreadCount: await markNotifications(c.get("context"), "unread", c.req.valid("json")) }, 200),
);

notificationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/notifications/archive",
    operationId: "archiveNotifications",
    summary: "Archive several or all notifications",
    description: "Archived notifications are read, and no longer in the inbox. `archived=true` lists them.",
    request: { body: jsonBody(z.union([someBody, allBody]).openapi("ArchiveNotifications")) },
    responses: { 200: json(unread, "The count now") },
  }),
  async (c) => c.json({ unreadCount: await markNotifications(c.get("context"), "archived", c.req.valid("json")) }, 200),
);

notificationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/notifications/unarchive",
    operationId: "unarchiveNotifications",
    summary: "Put several archived notifications back into the inbox",
    description: "They are read or unread as they were before.",
    request: { body: jsonBody(someBody.openapi("UnarchiveNotifications")) },
    responses: { 200: json(unread, "The count now") },
  }),
  async (c) =>
    c.json({ unreadCount: await markNotifications(c.get("context"), "unarchived", c.req.valid("json")) }, 200),
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
