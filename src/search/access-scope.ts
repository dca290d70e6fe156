import { type SQL, sql } from "drizzle-orm";
import { type Capability, type Scope, scopeOf, type UserCaller } from "../access";
import { documents } from "../documents/tables";
import { inGiven } from "../platform/db/sets";
import { annotations, clusters, locations } from "../workspace/tables";
import { ENTRY_TYPES, type EntryType } from "./tables";

/** What is found and hidden together, under one capability. */
const KINDS = ["document", "location", "cluster", "annotation"] as const;
export type Kind = (typeof KINDS)[number];

/** The letter between scope and word in the terms of a kind, and the one in the words of its names. */
export const LETTERS: Readonly<Record<Kind, { word: string; name: string }>> = {
  document: { word: "d", name: "w" },
  location: { word: "l", name: "x" },
  cluster: { word: "c", name: "y" },
  annotation: { word: "a", name: "z" },
};

const kindOf = (type: EntryType): Kind => (type === "text" ? "document" : type);

export const RESULT_TYPES = ["Document", "DocumentContent", "Location", "Cluster", "SpatialMetadata"] as const;
type ResultType = (typeof RESULT_TYPES)[number];

export const RESULT_TYPE_OF: Readonly<Record<EntryType, ResultType>> = {
  document: "Document",
  text: "DocumentContent",
  location: "Location",
  cluster: "Cluster",
  annotation: "SpatialMetadata",
};

/** What a search is narrowed to; all of it within what the caller may see. */
export interface SearchScope {
  includeShared: boolean;
  organizationIds?: readonly string[] | undefined;
  clusterIds?: readonly string[] | undefined;
  locationIds?: readonly string[] | undefined;
  resultTypes?: readonly ResultType[] | undefined;
}

/** How something is reached, the widest first: where two ways lead to a row, the wider one counts. */
const WAYS = ["tenants", "clusters", "locations", "documents"] as const satisfies (keyof Scope)[];
type Way = (typeof WAYS)[number];

/** What lies in something: such kinds are not reached by the ways below. */
const WAYS_TO: Readonly<Record<Kind, readonly Way[]>> = {
  cluster: ["tenants", "clusters"],
  location: ["tenants", "clusters", "locations"],
  annotation: ["tenants", "clusters", "locations"],
  document: WAYS,
};

const RULE: Readonly<Record<Kind, [capability: Capability, of: Parameters<typeof scopeOf>[2]]>> = {
  document: ["Documents", "document"],
  location: ["LocationView", "location"],
  cluster: ["ClusterView", "cluster"],
  annotation: ["LocationBundles", "content"],
};

/** One kind of thing that a caller may find, and how. */
interface KindReached {
  kind: Kind;
  types: readonly EntryType[];
  ways: readonly Way[];
}

const NARROWINGS = ["organizationIds", "clusterIds", "locationIds"] as const satisfies (keyof SearchScope)[];
type Narrowing = (typeof NARROWINGS)[number];

/** What the text of a statement over somebody's reach depends on. */
export interface ReachForm {
  kinds: readonly KindReached[];
  /** The sets that it is narrowed by. */
  narrowings: readonly Narrowing[];
}

export interface Reach {
  form: ReachForm;
  /** The sets themselves, under the names that `reachedRows` and the conditions of `visible` use. */
  values: Readonly<Record<string, string>>;
}

/**
 * Query of `(letter, way, id, scope)`: whole tenants and single things, each with the scope its terms are
 * posted under. Nothing but those is looked up, so what is hidden costs nothing.
 */
export const reachedRows: SQL = sql`SELECT r.value ->> 0 AS letter, r.value ->> 1 AS way, r.value ->> 2 AS id, s.key AS scope
  FROM json_each(${sql.placeholder("reached")}) r CROSS JOIN search_scopes s ON s.scope_id = r.value ->> 2`;

/** What a caller may find within a narrowing; null when that is nothing at all. */
export function reachOf({ facts }: UserCaller, narrow: SearchScope): Reach | null {
  const { includeShared, organizationIds, resultTypes } = narrow;
  const given: [letter: string, way: Way, id: string][] = [];
  const kinds: KindReached[] = [];
  for (const kind of KINDS) {
    const types = ENTRY_TYPES.filter(
      (type) => kindOf(type) === kind && (resultTypes === undefined || resultTypes.includes(RESULT_TYPE_OF[type])),
    );
    if (types.length === 0) continue;
    const [capability, of] = RULE[kind];
    const scope = scopeOf(facts, capability, of, { includeShared });
    const within =
      organizationIds === undefined ? scope.tenants : scope.tenants.filter((id) => organizationIds.includes(id));
    const sets = { ...scope, tenants: within };
    const ways = WAYS_TO[kind].filter((way) => sets[way].length > 0);
    for (const way of ways) for (const id of [...sets[way]].sort()) given.push([LETTERS[kind].word, way, id]);
    if (ways.length > 0) kinds.push({ kind, types, ways });
  }
  if (kinds.length === 0) return null;
  const narrowings = NARROWINGS.filter((name) => narrow[name] !== undefined);
  const sets = narrowings.map((name) => [name, JSON.stringify(narrow[name])]);
  return { form: { kinds, narrowings }, values: { reached: JSON.stringify(given), ...Object.fromEntries(sets) } };
}

interface Source {
  table: SQL;
  id: SQL;
  organizationId: SQL;
  /** The column by which each way reaches a row. */
  by: Readonly<Partial<Record<Way, SQL>>>;
  /** Joins what it lies in. */
  within: SQL;
  living: SQL;
}

const inLiving = sql`l.deleted_at IS NULL AND c.deleted_at IS NULL`;
const within = sql`CROSS JOIN ${locations} l ON l.id = location_id CROSS JOIN ${clusters} c ON c.id = l.cluster_id`;

/** The rows of each kind themselves: not deleted, in nothing that is. */
const SOURCES: Readonly<Record<Kind, Source>> = {
  document: {
    table: sql`${documents} d`,
    id: sql`d.id`,
    organizationId: sql`d.organization_id`,
    by: { tenants: sql`d.tenant_id`, clusters: sql`d.cluster_id`, locations: sql`d.location_id`, documents: sql`d.id` },
    within,
    living: sql`d.deleted_at IS NULL AND d.latest_version > 0 AND ${inLiving}`,
  },
  location: {
    table: sql`${locations} l`,
    id: sql`l.id`,
    organizationId: sql`l.organization_id`,
    by: { tenants: sql`l.tenant_id`, clusters: sql`l.cluster_id`, locations: sql`l.id` },
    within: sql`CROSS JOIN ${clusters} c ON c.id = l.cluster_id`,
    living: inLiving,
  },
  cluster: {
    table: sql`${clusters} c`,
    id: sql`c.id`,
    organizationId: sql`c.organization_id`,
    by: { tenants: sql`c.tenant_id`, clusters: sql`c.id` },
    within: sql``,
    living: sql`c.deleted_at IS NULL`,
  },
  annotation: {
    table: sql`${annotations} a`,
    id: sql`a.id`,
    organizationId: sql`a.organization_id`,
    by: { tenants: sql`a.tenant_id`, clusters: sql`a.cluster_id`, locations: sql`a.location_id` },
    within,
    living: inLiving,
  },
};

const list = (values: readonly string[]): SQL => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** The search's own narrowing; a unary plus keeps it from being taken for the way in. */
function narrowed({ organizationId, by }: Source, narrowings: readonly Narrowing[]): SQL {
  const columns = { organizationIds: organizationId, clusterIds: by.clusters, locationIds: by.locations };
  const terms = narrowings.map((name) => {
    const column = columns[name];
    return column === undefined ? sql`0` : inGiven(sql`+${column}`, name);
  });
  return terms.length === 0 ? sql`1` : sql.join(terms, sql` AND `);
}

/** What one way leads to, without what a wider one does: no row is counted twice. */
function reached({ kind, ways }: KindReached, way: Way): SQL {
  const { by } = SOURCES[kind];
  const letter = list([LETTERS[kind].word]);
  const wider = WAYS.slice(0, WAYS.indexOf(way))
    .filter((other) => ways.includes(other))
    .map(
      (other) =>
        sql` AND +${by[other]} NOT IN (SELECT id FROM reach WHERE letter = ${letter} AND way = ${list([other])})`,
    );
  return sql`reach.letter = ${letter} AND reach.way = ${list([way])} AND ${by[way]} = reach.id${sql.join(wider, sql``)}`;
}

/**
 * Index entries the caller may find today, as a query over `reach` of `(entry, scope, letter, tenant, type, resource,
 * title_length, row_count, body_length)`. At most three parameters a way of each kind.
 */
export function visibleEntries({ kinds, narrowings }: ReachForm): SQL {
  const parts = kinds.map((reachedKind) => {
    const { kind, types, ways } = reachedKind;
    const source = SOURCES[kind];
    const byWay = ways.map(
      (way) => sql`
      SELECT e.key AS entry, reach.scope AS scope, reach.letter AS letter, e.tenant_key AS tenant, e.type AS type,
        e.resource_id AS resource, e.title_length, e.row_count, e.body_length
      FROM reach CROSS JOIN ${source.table} ${source.within} CROSS JOIN search_entries e ON e.resource_id = ${source.id}
      WHERE ${reached(reachedKind, way)} AND ${source.living} AND ${narrowed(source, narrowings)}
        AND e.live = 1 AND e.type IN (${list(types)})`,
    );
    // Kinds and ways apart: D1 joins five queries at most in one union.
    return sql`SELECT * FROM (${sql.join(byWay, sql` UNION ALL `)})`;
  });
  return sql.join(parts, sql` UNION ALL `);
}

/** The same decision for one row `e` of search_entries that was found under one row of `reach`. */
export function isVisibleEntry({ kinds, narrowings }: ReachForm): SQL {
  const parts = kinds.map(({ kind, types, ways }) => {
    const source = SOURCES[kind];
    const { table, id, living, by } = source;
    const holder = sql.join(
      ways.map((way) => sql`WHEN ${list([way])} THEN ${by[way]}`),
      sql` `,
    );
    return sql`WHEN ${list([LETTERS[kind].word])} THEN e.type IN (${list(types)}) AND EXISTS (
      SELECT 1 FROM ${table} ${source.within}
      WHERE ${id} = e.resource_id AND CASE reach.way ${holder} END = reach.id AND ${living} AND ${narrowed(source, narrowings)})`;
  });
  return sql`(e.live = 1 AND CASE reach.letter ${sql.join(parts, sql` `)} END)`;
}
