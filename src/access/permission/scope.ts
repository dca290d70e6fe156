import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { AccessFacts, Entitlements, GrantTarget } from "../../platform/caller";
import { type Capability, type Level, PERSONAL_LEVELS, READ } from "../../platform/capabilities";
import { inSet } from "../../platform/db/statements";
import { grantLevel, limitLevel, memberLevel } from "./evaluate";

/** Which kind of row is asked for: it decides which grants name the very row. */
type ScopeOf = GrantTarget | "content";

/**
 * The set a credential reaches with one capability at one level: whole tenants (organizations, the
 * personal workspace), and what single grants name. The same decision as `levelAt`, turned inside out.
 */
export interface Scope {
  tenants: readonly string[];
  clusters: readonly string[];
  locations: readonly string[];
  documents: readonly string[];
}

export interface ScopeOptions {
  level?: Level;
  /** False leaves out what is reached through grants only. */
  includeShared?: boolean;
}

const NOTHING: Entitlements = { cameras: false, externalShares: false };

/**
 * Computes the scope for rows of kind `of`: `cluster`, `location` and `document` rows are what a
 * grant can name; `content` is what lies in a location and cannot be named (annotations, cameras).
 */
export function scopeOf(facts: AccessFacts, capability: Capability, of: ScopeOf, options: ScopeOptions = {}): Scope {
  const { level = READ, includeShared = true } = options;
  const tenants: string[] = [];
  for (const m of facts.memberships)
    if (limitLevel(memberLevel(m, capability), capability, m.organizationId, m, facts.limits) >= level)
      tenants.push(m.organizationId);
  if (limitLevel(PERSONAL_LEVELS[capability], capability, null, NOTHING, facts.limits) >= level)
    tenants.push(facts.userId);

  const named: Record<GrantTarget, Set<string>> = { cluster: new Set(), location: new Set(), document: new Set() };
  if (includeShared)
    for (const g of facts.grants) {
      const held = grantLevel(g, capability, g.target === of);
      if (limitLevel(held, capability, g.organizationId, g, facts.limits) < level) continue;
      for (const id of g.targetIds) named[g.target].add(id);
    }
  return { tenants, clusters: [...named.cluster], locations: [...named.location], documents: [...named.document] };
}

/** The columns of a row that say where it is; those a kind of row does not have are left out. */
export interface ResourcePathColumns {
  tenantId: SQLWrapper;
  clusterId?: SQLWrapper;
  locationId?: SQLWrapper;
  documentId?: SQLWrapper;
}

/** Where these columns may meet the scope: each with the ids that it may have. */
function conditionsOf(scope: Scope, columns: ResourcePathColumns): SQL[] {
  const pairs: [SQLWrapper | undefined, readonly string[]][] = [
    [columns.tenantId, scope.tenants],
    [columns.clusterId, scope.clusters],
    [columns.locationId, scope.locations],
    [columns.documentId, scope.documents],
  ];
  return pairs.flatMap(([column, ids]) => (column === undefined || ids.length === 0 ? [] : [inSet(column, ids)]));
}

/** Whether no row with these columns can lie in the scope: then there is nothing to ask the database. */
export const isOutOfScope = (scope: Scope, columns: ResourcePathColumns): boolean =>
  conditionsOf(scope, columns).length === 0;

/** The scope as a SQL condition: at most four parameters, each a whole set. */
export function inScope(scope: Scope, columns: ResourcePathColumns): SQL {
  const terms = conditionsOf(scope, columns);
  return terms.length === 0 ? sql`0` : sql`(${sql.join(terms, sql` OR `)})`;
}

export interface ScopedRows {
  table: SQLiteTable;
  /** The row's own id: the sort key. */
  id: SQLWrapper;
  columns: ResourcePathColumns;
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
