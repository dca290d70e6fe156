import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { requireAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { ASSET_SOURCES, ASSET_TYPES } from "../indexing/asset-types";
import { latestTasks, taskSchema } from "./tasks";

export const indexStatusSchema = z
  .object({
    documents: z.object({
      total: z.int(),
      indexed: z.int().openapi({ description: "Searchable, or without text." }),
      pending: z.int(),
      failed: z
        .int()
        .openapi({ description: "Damaged, encrypted, in an unknown charset, or failed for another reason." }),
      unsupported: z.int().openapi({ description: "Found by name: no text can be taken from them." }),
    }),
    assets: z.object({ total: z.int(), indexed: z.int(), pending: z.int() }),
    tasks: z.array(taskSchema),
  })
  .openapi("IndexStatus");

/** How far the index is, over all tenants. Reads every document once. @throws DomainError 401, 403. */
export async function readIndexStatus(context: Context): Promise<z.infer<typeof indexStatusSchema>> {
  requireAdmin(context);
  const { db } = context;
  const rows = await db.all<{ state: "indexed" | "pending" | "failed" | "unsupported"; count: number }>(sql`
    SELECT CASE WHEN d.text_status IN ('indexed', 'empty') THEN iif(e.key IS NULL, 'pending', 'indexed')
        WHEN d.text_status = 'pending' THEN 'pending'
        WHEN d.text_status IN ('failed', 'damaged', 'encrypted', 'unknown-charset') THEN 'failed' ELSE 'unsupported' END AS "state", count(*) AS "count"
    FROM documents d LEFT JOIN search_entries e
      ON e.resource_id = d.id AND e.type = 'text' AND e.version = d.text_version AND e.live = 1
    WHERE d.deleted_at IS NULL AND d.latest_version > 0 GROUP BY 1`);
  const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  const parts = ASSET_TYPES.map((type) => {
    const { table, living } = ASSET_SOURCES[type];
    return sql`SELECT count(*) AS total, count(e.key) AS indexed FROM ${table} a
      LEFT JOIN search_entries e ON e.resource_id = a.id AND e.type = ${type} AND e.live = 1 WHERE ${living}`;
  });
  const [assets] = await db.all<{ total: number; indexed: number }>(
    sql`SELECT sum(total) AS "total", sum(indexed) AS "indexed" FROM (${sql.join(parts, sql` UNION ALL `)})`,
  );
  const [total, indexed] = [assets?.total ?? 0, assets?.indexed ?? 0];
  return {
    documents: {
      total: rows.reduce((sum, { count }) => sum + count, 0),
      indexed: of("indexed"),
      pending: of("pending"),
      failed: of("failed"),
      unsupported: of("unsupported"),
    },
    assets: { total, indexed, pending: total - indexed },
    tasks: await latestTasks(context),
  };
}
