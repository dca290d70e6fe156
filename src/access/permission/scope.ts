import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { AccessFacts, GrantTarget } from "../../platform/caller";
import { type Capability, type Level, PERSONAL_LEVELS, READ } from "../../platform/capabilities";
import { inSet } from "../../platform/db/statements";
import { grantLevel, limitLevel, memberLevel, NO_ENTITLEMENTS } from "./evaluate";

/** The kind of the rows. It decides which grants have such a row as their own target. */
type ScopeOf = GrantTarget | "content";

/**
 * The resources on which a credential holds one capability at one level: whole tenants (organizations, the personal
 * workspace), and the targets of grants. It is the decision of `levelAt` for a set.
 */
export interface Scope {
  tenants: readonly string[];
  clusters: readonly string[];
  locations: readonly string[];
  documents: readonly string[];
}

interface ScopeOptions {
  level?: Level;
  /** False leaves out the resources that only a grant gives access to. */
  includeShared?: boolean;
}

/**
 * Computes the scope for rows of kind `of`. A `cluster`, `location` or `document` row can be the target of a grant.
 * `content` rows are in a location and cannot be a target (annotations, cameras).
 */
export function scopeOf(facts: AccessFacts, capability: Capability, of: ScopeOf, options: ScopeOptions = {}): Scope {
  const { level = READ, includeShared = true } = options;
  const tenants: string[] = [];
  for (const m of facts.memberships)
    if (limitLevel(memberLevel(m, capability), capability, m.organizationId, m, facts.limits) >= level)
      tenants.push(m.organizationId);
  if (
    facts.isHome !== false &&
    limitLevel(PERSONAL_LEVELS[capability], capability, null, NO_ENTITLEMENTS, facts.limits) >= level
  )
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

/** The columns with the path of a row. A kind of row leaves out the columns that it does not have. */
export interface ResourcePathColumns {
  tenantId: SQLWrapper;
  clusterId?: SQLWrapper;
  locationId?: SQLWrapper;
  documentId?: SQLWrapper;
}

/** One condition for each column that the scope has ids for. */
function conditionsOf(scope: Scope, columns: ResourcePathColumns): SQL[] {
  const pairs: [SQLWrapper | undefined, readonly string[]][] = [
    [columns.tenantId, scope.tenants],
    [columns.clusterId, scope.clusters],
    [columns.locationId, scope.locations],
    [columns.documentId, scope.documents],
  ];
  return pairs.flatMap(([column, ids]) => (column === undefined || ids.length === 0 ? [] : [inSet(column, ids)]));
}

/** Whether no row with these columns can be in the scope. Then the caller need not query the database. */
export const isOutOfScope = (scope: Scope, columns: ResourcePathColumns): boolean =>
  conditionsOf(scope, columns).length === 0;

/** The scope as a SQL condition. It has at most four parameters, one for each set of ids. */
export function inScope(scope: Scope, columns: ResourcePathColumns): SQL {
  const terms = conditionsOf(scope, columns);
  return terms.length === 0 ? sql`0` : sql`(${sql.join(terms, sql` OR `)})`;
}

interface ScopedRows {
  table: SQLiteTable;
  /** The column of the row's id, which is the sort key. */
  id: SQLWrapper;
  columns: ResourcePathColumns;
  /** A further condition for the rows. */
  where: SQL;
  /** For rows that have no cluster: a subquery of the ids of the clusters' locations, in a column `value`. */
  locationsOf?: (clusterIds: SQL) => SQL;
}

export interface KeysetPage {
  /** Id of the last row of the page before. Null for the first page. */
  after: string | null;
  limit: number;
}

/**
 * A subquery of the first `limit` ids of a scope after `after`, in order. Each tenant and each target is read by its own
 * index up to the end of the page: one seek for each set, and one page of each set that can be on it.
 */
export function idsInScope(scope: Scope, rows: ScopedRows, { after, limit }: KeysetPage): SQL {
  const { table, id, columns, where, locationsOf } = rows;
  const first = (column: SQLWrapper, value: SQL, most = limit) =>
    sql`SELECT ${id} AS id FROM ${table} WHERE ${column} ${value} AND ${id} > ${after ?? ""} AND ${where} ORDER BY ${id} LIMIT ${most}`;
  const arm = (column: SQLWrapper | undefined, ids: readonly string[], members = (set: SQL) => set): SQL[] => {
    if (column === undefined || ids.length === 0) return [];
    const set = members(sql`json_each(${JSON.stringify(ids)})`);
    if (column === id) return [sql`SELECT id FROM (${first(id, sql`IN (SELECT value FROM ${set})`)})`];
    // A page of n rows can only come from the n sets with the smallest first ids, so only those are read further.
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
    ...(locationsOf === undefined ? [] : arm(columns.locationId, scope.clusters, locationsOf)),
  ];
  return arms.length === 0 ? sql`SELECT NULL WHERE 0` : sql`${sql.join(arms, sql` UNION `)} ORDER BY id LIMIT ${limit}`;
}
