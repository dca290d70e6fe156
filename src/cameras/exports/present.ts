import { z } from "@hono/zod-openapi";
import { credentialRefOf, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import type { CameraRow } from "../find";
import { statusOf } from "./find";
import type { ExportRow } from "./layout";
import { ADDRESS_LIFETIME } from "./limits";
import { EXPORT_STATUSES } from "./tables";
import { writeTicket } from "./ticket";

const errorSchema = z.object({ code: z.string(), detail: z.string() });

export const exportSchema = z
  .object({
    operationId: idSchema,
    status: z.enum(EXPORT_STATUSES),
    fromUtc: utcSchema.nullable(),
    toUtc: utcSchema.nullable(),
    imageCount: z.int().nullable().openapi({ description: "Known once it is ready, as the size of the ZIP is." }),
    totalBytes: z.int().nullable(),
    progress: z.object({ done: z.int(), total: z.int() }),
    downloadUrl: z
      .string()
      .nullable()
      .openapi({ description: "Works for six hours and asks for access on every use; supports Range and If-Range." }),
    expiresAtUtc: utcSchema.nullable().openapi({ description: "When the export itself ends, at the latest." }),
    createdAtUtc: utcSchema,
    error: orNull(errorSchema),
  })
  .openapi("CameraExport");

/** An export on the wire, with an address for the caller once it is ready. */
export async function presentExport(
  context: Context,
  camera: CameraRow,
  row: ExportRow,
): Promise<z.infer<typeof exportSchema>> {
  const status = statusOf(row, camera, context.now);
  const isReady = status === "ready";
  const { imageCount: done, expectedCount } = row;
  return {
    operationId: row.id,
    status,
    fromUtc: toUtcOrNull(row.fromAt),
    toUtc: toUtcOrNull(row.toAt),
    imageCount: isReady ? row.imageCount : null,
    totalBytes: isReady ? row.totalBytes : null,
    progress: { done, total: isReady ? done : Math.max(done, expectedCount) },
    downloadUrl: isReady ? await addressOf(context, row) : null,
    expiresAtUtc: isReady ? toUtc(row.expiresAt) : null,
    createdAtUtc: toUtc(row.createdAt),
    error: row.errorCode === null ? null : { code: row.errorCode, detail: row.errorDetail ?? "" },
  };
}

async function addressOf(context: Context, { id, expiresAt }: ExportRow): Promise<string> {
  const { settings, now } = context;
  const asker = credentialRefOf(requireUser(context));
  const ticket = await writeTicket(settings.OBJECT_SIGNING_SECRET, {
    exportId: id,
    // Sessions and tokens are looked up on each use: it is their own end that counts, not that of what was presented.
    asker: asker.kind === "external" ? asker : { ...asker, expiresAt: null },
    expiresAt: Math.min(expiresAt, now + ADDRESS_LIFETIME),
  });
  const url = new URL(`/v1/camera-exports/${id}/download`, settings.PUBLIC_BASE_URL);
  url.searchParams.set("ticket", ticket);
  return url.href;
}
