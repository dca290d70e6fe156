import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt } from "drizzle-orm";
import { READ } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { requireDocument } from "../find";
import { passages } from "../tables";

export const passageSchema = z
  .object({
    chunkIndex: z.int().openapi({ description: "From 0, in reading order." }),
    pageNumber: z.int().nullable().openapi({ description: "From 1; null where the format has no pages." }),
    text: z.string(),
  })
  .openapi("Passage");

/** The text of a document in reading order, of one page when `page` is given. @throws DomainError 401, 404. */
export async function listPassages(
  context: Context,
  documentId: string,
  query: PageQuery & { page?: number | undefined },
) {
  const { document } = await requireDocument(context, documentId, READ);
  const [after] = readCursor(query.cursor, z.tuple([z.int()])) ?? [-1];
  const rows = await context.db
    .select()
    .from(passages)
    .where(
      and(
        eq(passages.documentId, documentId),
        eq(passages.version, document.textVersion),
        gt(passages.chunkIndex, after),
        query.page === undefined ? undefined : eq(passages.page, query.page),
      ),
    )
    .orderBy(asc(passages.chunkIndex))
    .limit(query.limit + 1);
  return toPage(
    rows,
    query.limit,
    (row) => [row.chunkIndex],
    (row) => ({ chunkIndex: row.chunkIndex, pageNumber: row.page, text: row.text }),
  );
}
