import { z } from "@hono/zod-openapi";
import { and, desc, eq, lt } from "drizzle-orm";
import { READ } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { requireDocument, type VersionRow } from "../find";
import { checksumSchema } from "../present";
import { DERIVATIVE_STATUSES, documentVersions } from "../tables";

export const versionSchema = z
  .object({
    version: z.int(),
    fileName: z.string().openapi({ description: "The name it had when this version came." }),
    contentType: z.string(),
    sizeBytes: z.int(),
    checksumSha256: checksumSchema,
    derivativeStatus: z.enum(DERIVATIVE_STATUSES),
    width: z.int().nullable(),
    height: z.int().nullable(),
    createdBy: idSchema.nullable(),
    createdAtUtc: utcSchema,
  })
  .openapi("DocumentVersion");

const presentVersion = (row: VersionRow): z.infer<typeof versionSchema> => ({
  version: row.version,
  fileName: row.fileName,
  contentType: row.contentType,
  sizeBytes: row.sizeBytes,
  checksumSha256: row.checksumSha256,
  derivativeStatus: row.derivativeStatus,
  width: row.width,
  height: row.height,
  createdBy: row.createdBy,
  createdAtUtc: toUtc(row.createdAt),
});

/** A document's complete versions, newest first. @throws DomainError 401, 404. */
export async function listVersions(context: Context, documentId: string, query: PageQuery) {
  await requireDocument(context, documentId, READ);
  const [before] = readCursor(query.cursor, z.tuple([z.int()])) ?? [Number.MAX_SAFE_INTEGER];
  const rows = await context.db
    .select()
    .from(documentVersions)
    .where(and(eq(documentVersions.documentId, documentId), lt(documentVersions.version, before)))
    .orderBy(desc(documentVersions.version))
    .limit(query.limit + 1);
  return toPage(rows, query.limit, ({ version }) => [version], presentVersion);
}
