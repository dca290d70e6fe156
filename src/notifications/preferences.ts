import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import { auditStatement, contextAt, requireUser } from "../access";
import { NOTIFICATION_TYPES, type NotificationType } from "../events";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { notificationPreferences } from "./tables";

const preference = z.strictObject({ inApp: z.boolean() });
export const preferencesSchema = z
  .object(Object.fromEntries(NOTIFICATION_TYPES.map((type) => [type, preference])))
  .openapi("NotificationPreferences");
export const preferencesWriteSchema = z
  .strictObject(Object.fromEntries(NOTIFICATION_TYPES.map((type) => [type, preference.optional()])))
  .openapi("NotificationPreferencesUpdate");

export type Preferences = Record<NotificationType, { inApp: boolean }>;

/** Reads the caller's preferences. Each type is on unless the caller turned it off. */
export const readPreferences = async (context: Context): Promise<Preferences> =>
  preferencesIn(await contextAt(context, requireUser(context).userId));

async function preferencesIn(context: Context): Promise<Preferences> {
  const { userId } = requireUser(context);
  const rows = await context.workspace
    .select()
    .from(notificationPreferences)
    .where(eq(notificationPreferences.userId, userId));
  const inApp = (type: NotificationType) => rows.find((row) => row.type === type)?.inApp ?? true;
  return Object.fromEntries(NOTIFICATION_TYPES.map((type) => [type, { inApp: inApp(type) }])) as Preferences;
}

/** Sets the given types; the others do not change. */
export async function writePreferences(request: Context, wanted: Partial<Preferences>): Promise<Preferences> {
  const { userId } = requireUser(request);
  const context = await contextAt(request, userId);
  const values = NOTIFICATION_TYPES.flatMap((type) => {
    const inApp = wanted[type]?.inApp;
    return inApp === undefined ? [] : [{ userId, type, inApp }];
  });
  if (values.length > 0)
    await beginChange(context, userId)
      .add(
        context.workspace
          .insert(notificationPreferences)
          .values(values)
          .onConflictDoUpdate({
            target: [notificationPreferences.userId, notificationPreferences.type],
            set: { inApp: sql`excluded.in_app` },
          }),
        auditStatement(context, {
          organizationId: null,
          action: "notification-preferences.changed",
          subjectType: "user",
          subjectId: userId,
          details: Object.fromEntries(values.map(({ type, inApp }) => [type, { inApp }])),
        }),
      )
      .commit();
  return preferencesIn(context);
}
