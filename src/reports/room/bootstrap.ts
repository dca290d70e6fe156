import { z } from "@hono/zod-openapi";
import { and, eq, isNull } from "drizzle-orm";
import { credentialRefOf, holds, READ, requireUser, WRITE } from "../../access";
import { people } from "../../access/tables";
import type { Context } from "../../platform/context";
import { writeSigned } from "../../platform/crypto/tokens";
import { beginChange } from "../../platform/db/change";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { placeOfReport, requireReport } from "../drafts";
import { ROOM_TOKEN_LIFETIME_MS } from "../limits";
import { reportNotDeleted, reports, reportTemplates } from "../tables";
import { type Arrival, colourOf } from "./member";

/** The purpose of room tokens: other signed texts are not accepted as one. */
export const ROOM_TOKEN = "report-room";
/** The path of the rooms: the provider appends the report's id. */
export const ROOMS_PATH = "/v1/reports/rooms";
/** Name of the Y.Map that holds the draft. */
export const SHARED_MAP = "report";

export const bootstrapSchema = z
  .object({
    reportId: idSchema,
    revision: z.int(),
    contentJson: z.record(z.string(), z.unknown()),
    protocol: z.literal("y-websocket"),
    serverUrl: z.string().openapi({ description: "The provider's first argument." }),
    roomName: z.string().openapi({ description: "The provider's second argument." }),
    token: z.string().openapi({ description: "Send it as the provider's parameter `token`." }),
    expiresAtUtc: utcSchema.openapi({
      description: "The room closes the connection with 4401 then: request a new token and connect again.",
    }),
    sharedMap: z.literal(SHARED_MAP).openapi({ description: "The draft is the Y.Map of this name." }),
    bodyFieldPath: z.string().nullable().openapi({ description: "The string at this path is a Y.Text." }),
    readOnly: z.boolean().openapi({ description: "The room rejects edits of this caller." }),
    user: z.object({ id: idSchema, name: z.string(), color: z.string() }).openapi({
      description: "The name and colour that others see. They replace the name and colour that the client sends.",
    }),
  })
  .openapi("ReportCollaboration");

/**
 * Admits the caller to the room of a report: returns the data that a y-websocket provider needs. @throws DomainError
 * 401, 404.
 */
export async function bootstrapRoom(context: Context, reportId: string): Promise<z.infer<typeof bootstrapSchema>> {
  const { workspace, now, settings, rooms } = context;
  const caller = requireUser(context);
  let { report } = await requireReport(context, reportId, READ);
  if (report.roomOpenedAt === null)
    await beginChange({ ...context, idempotency: null }, report.tenantId)
      .add(
        workspace
          .update(reports)
          .set({ roomOpenedAt: now })
          .where(and(eq(reports.id, reportId), isNull(reports.roomOpenedAt), reportNotDeleted())),
      )
      .commit();
  else if ((await rooms.flush(reportId)) !== null) ({ report } = await requireReport(context, reportId, READ));
  const [[user], [template]] = await workspace.batch([
    workspace.select({ displayName: people.displayName }).from(people).where(eq(people.id, caller.userId)),
    workspace
      .select({ bodyFieldPath: reportTemplates.bodyFieldPath })
      .from(reportTemplates)
      .where(eq(reportTemplates.id, report.templateId)),
  ]);
  const credential = credentialRefOf(caller);
  const expiresAt = Math.min(now + ROOM_TOKEN_LIFETIME_MS, credential.expiresAt ?? Number.POSITIVE_INFINITY);
  const name = user?.displayName ?? "";
  const arrival: Arrival = { reportId, credential, displayName: name, expiresAt };
  return {
    reportId,
    revision: report.revision,
    contentJson: report.contentJson,
    protocol: "y-websocket",
    serverUrl: `${settings.PUBLIC_BASE_URL.replace(/^http/, "ws")}${ROOMS_PATH}`,
    roomName: reportId,
    token: await writeSigned(settings.OBJECT_SIGNING_SECRET, ROOM_TOKEN, arrival),
    expiresAtUtc: toUtc(expiresAt),
    sharedMap: SHARED_MAP,
    bodyFieldPath: template?.bodyFieldPath ?? null,
    readOnly: !holds(caller, "Reports", placeOfReport(report), WRITE),
    user: { id: caller.userId, name, color: colourOf(caller.userId) },
  };
}
