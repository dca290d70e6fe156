import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { PlaceColumns, Scope } from "./scope";

export interface ScopedRows {
  table: SQLiteTable;
  /** The row's own id: the sort key. */
  id: SQLWrapper;
  columns: PlaceColumns;
  /** What else a row must be. */
  where: SQL;
}

export interface KeysetPage {
  /** Id of the last row seen; null from the start. */
  after: string | null;
  limit: number;
}

/**
 * A subquery of the first `limit` ids of a scope after `after`, in order. Each tenant and each named thing
 * is walked by its own index and stops at the page's end: one seek a set, and a page of each that may be on it.
 */
export function idsInScope(scope: Scope, rows: ScopedRows, { after, limit }: KeysetPage): SQL {
  const { table, id, columns, where } = rows;
  const first = (column: SQLWrapper, value: SQL, most = limit) =>
    sql`SELECT ${id} AS id FROM ${table} WHERE ${column} ${value} AND ${id} > ${after ?? ""} AND ${where} ORDER BY ${id} LIMIT ${most}`;
  const arm = (column: SQLWrapper | undefined, ids: readonly string[]): SQL[] => {
    if (column === undefined || ids.length === 0) return [];
    const set = sql`json_each(${JSON.stringify(ids)})`;
    if (column === id) return [sql`SELECT id FROM (${first(id, sql`IN (SELECT value FROM ${set})`)})`];
    // A page of n rows comes from the n sets that begin first: only those are walked further.
    const sets = sql`SELECT value, (${first(column, sql`= value`, 1)}) AS begins FROM ${set} ORDER BY begins IS NULL, begins LIMIT ${limit}`;
    return [
      sql`SELECT found.id AS id FROM (${sets}) AS named CROSS JOIN ${table} AS found ON found.id IN (${first(column, sql`= named.value`)})`,
    ];
  };
  const arms = [
    ...arm(columns.tenantId, scope.tenants),
    ...arm(columns.clusterId, scope.clusters),
    ...arm(columns.locationId, scope.locations),
    ...arm(columns.documentId, scope.documents),
  ];
  return arms.length === 0 ? sql`SELECT NULL WHERE 0` : sql`${sql.join(arms, sql` UNION `)} ORDER BY id LIMIT ${limit}`;
}
