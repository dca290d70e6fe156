import { z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import { READ } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import type { RecognizedPage } from "../../platform/ports";
import { registerPendingObjects } from "../../uploads";
import { requireDocument, type VersionKey } from "../document";
import { PENDING_OBJECT_LIFETIME_MS } from "../limits";
import { recognizedPages } from "../tables";

/** Key of the words of a page, below the document's prefix. It is the same in every attempt. */
const wordsKey = (tenantId: string, { documentId, version }: VersionKey, page: number): string =>
  `${tenantId}/${documentId}/words/v${String(version).padStart(8, "0")}/${page}.json`;

export const pageWordsSchema = z
  .object({
    width: z.int().openapi({ description: "Width of the upright page's picture, pixels." }),
    height: z.int(),
    words: z.array(
      z.object({
        text: z.string(),
        left: z.int(),
        top: z.int(),
        width: z.int(),
        height: z.int(),
        confidence: z.int().openapi({ description: "0 to 100." }),
      }),
    ),
  })
  .openapi("PageWords");

/** A page's words as they are stored: text, left, top, width, height, confidence. */
const storedSchema = z.object({
  width: z.int(),
  height: z.int(),
  words: z.array(z.tuple([z.string(), z.int(), z.int(), z.int(), z.int(), z.int()])),
});
type Stored = z.infer<typeof storedSchema>;

export function encodeWords({ width, height, words }: RecognizedPage) {
  const rows = words.map(({ text, box, confidence }): Stored["words"][number] => [text, ...box, confidence]);
  return new TextEncoder().encode(JSON.stringify({ width, height, words: rows } satisfies Stored));
}

/** Writes the words of the pages with their boxes, one object each, before the change that refers to them. */
export async function writeWords(
  context: Context,
  of: VersionKey,
  tenantId: string,
  pages: readonly RecognizedPage[],
): Promise<Map<number, string>> {
  const legiblePages = pages.filter(({ words }) => words.length > 0);
  const keys = new Map(legiblePages.map(({ page }) => [page, wordsKey(tenantId, of, page)]));
  if (keys.size === 0) return keys;
  const hold = beginChange(context, tenantId);
  const held = [...keys.values()].map((key) => ({ key, tenantId, chargedBytes: 0 }));
  registerPendingObjects(context, hold, held, PENDING_OBJECT_LIFETIME_MS);
  await hold.commit();
  for (const page of legiblePages) {
    const bytes = encodeWords(page);
    const key = keys.get(page.page) ?? "";
    await context.objects.write(key, bytes, { contentType: "application/json", sizeBytes: bytes.length });
  }
  return keys;
}

/**
 * The words of a scanned page with their boxes, of the version whose text the document has.
 * @throws DomainError 401, 404 (also for a page without recognized words).
 */
export async function readWords(
  context: Context,
  documentId: string,
  page: number,
): Promise<z.infer<typeof pageWordsSchema>> {
  const { document } = await requireDocument(context, documentId, READ);
  const [row] = await context.workspace
    .select({ key: recognizedPages.objectKey })
    .from(recognizedPages)
    .where(
      and(
        eq(recognizedPages.documentId, documentId),
        eq(recognizedPages.version, document.textVersion),
        eq(recognizedPages.page, page),
      ),
    );
  const stored = row?.key ? await context.objects.read(row.key) : null;
  if (stored === null) throw notFound();
  const { words, ...size } = storedSchema.parse(await new Response(stored.body).json());
  return {
    ...size,
    words: words.map(([text, left, top, width, height, confidence]) => ({
      text,
      left,
      top,
      width,
      height,
      confidence,
    })),
  };
}
