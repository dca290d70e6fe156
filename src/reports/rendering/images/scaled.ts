import { and, eq, isNull, sql } from "drizzle-orm";
import { documents, documentVersions } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { beginChange } from "../../../platform/db/change";
import { type EncodedPicture, encodePicture } from "../../../platform/jpeg";
import { drawPicture, requireReadable } from "../../../platform/pictures/draw";
import { HOUR } from "../../../platform/time";
import { holdObjects, keepHeld } from "../../../uploads";
import { reportImages } from "../../tables";
import { IMAGE_QUALITY } from "./limits";
import type { ResolvedImage } from "./resolve";

export type FoundImage = Extract<ResolvedImage, { found: true }>;

/** A scaled picture as a page shows it. */
export interface ScaledImage {
  bytes: Uint8Array;
  width: number;
  height: number;
}

/** Key of a scaled picture: below the document's own prefix, and the same in every try. */
export const scaledKey = (tenantId: string, { documentId, version }: FoundImage, edge: number): string =>
  `${tenantId}/${documentId}/derivatives/v${String(version).padStart(8, "0")}/report-${edge}.jpg`;

/** How long a written picture may wait for the change that refers to it. */
const HELD_FOR = HOUR;

/** The whole of an object, or null when it is gone. */
export async function readWhole({ objects }: Pick<Context, "objects">, key: string): Promise<Uint8Array | null> {
  const found = await objects.read(key);
  return found === null ? null : new Uint8Array(await new Response(found.body).arrayBuffer());
}

/** Pictures that were scaled before, of any version and edge asked for: `documentId/version/edge` to where it is. */
export async function keptImages({ db }: Pick<Context, "db">, images: readonly FoundImage[]) {
  if (images.length === 0) return new Map<string, typeof reportImages.$inferSelect>();
  const pairs = JSON.stringify(images.map(({ documentId, version }) => [documentId, version]));
  const rows = await db
    .select()
    .from(reportImages)
    .where(
      sql`(${reportImages.documentId}, ${reportImages.version}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`,
    );
  return new Map(rows.map((row) => [keptKey(row, row.edge), row]));
}

export const keptKey = ({ documentId, version }: { documentId: string; version: number }, edge: number): string =>
  `${documentId}/${version}/${edge}`;

/**
 * Scales a picture to each of these edges in one decoding and keeps the results with its document.
 * Two that do it at once write the same bytes. @throws JobFailure for files that are damaged or too large.
 */
export async function scaleImage(
  context: Context,
  tenantId: string,
  image: FoundImage,
  edges: readonly number[],
): Promise<Map<number, ScaledImage> | null> {
  requireReadable(image.contentType, image.sizeBytes);
  const scaled = await drawScaled(context, image, edges);
  if (scaled === null) return null;
  const { db, now, objects } = context;
  const { documentId, version } = image;
  const keyOf = (edge: number) => scaledKey(tenantId, image, edge);
  const hold = beginChange(context);
  holdObjects(
    context,
    hold,
    edges.map((edge) => ({ key: keyOf(edge), tenantId, chargedBytes: 0 })),
    HELD_FOR,
  );
  await hold.commit();
  const lives = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${documentVersions} ON ${documentVersions.documentId} = ${documents.id}
    WHERE ${and(eq(documents.id, documentId), isNull(documents.deletedAt), eq(documentVersions.version, version))})`;
  const change = beginChange(context);
  for (const [edge, { bytes, width, height }] of scaled) {
    await objects.write(keyOf(edge), bytes, { contentType: "image/jpeg", sizeBytes: bytes.length });
    const row = { documentId, version, edge, objectKey: keyOf(edge), width, height, sizeBytes: bytes.length };
    change.add(
      db
        .insert(reportImages)
        .select(
          sql`SELECT ${row.documentId}, ${version}, ${edge}, ${row.objectKey}, ${width}, ${height}, ${row.sizeBytes}, ${now} WHERE ${lives}`,
        )
        .onConflictDoNothing(),
    );
  }
  keepHeld(context, change, [...scaled.keys()].map(keyOf), lives);
  await change.commit();
  return scaled;
}

async function drawScaled(context: Context, image: FoundImage, edges: readonly number[]) {
  const bytes = await readWhole(context, image.objectKey);
  if (bytes === null) return null;
  const { picture } = await drawPicture(bytes, Math.max(...edges));
  return new Map<number, EncodedPicture>(edges.map((edge) => [edge, encodePicture(picture, edge, IMAGE_QUALITY)]));
}
