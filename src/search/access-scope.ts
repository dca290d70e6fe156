import { type SQL, sql } from "drizzle-orm";
import { type Capability, type Scope, scopeOf, type UserCaller } from "../access";
import { documentPublished, documents } from "../documents/tables";
import { inPlaceholder } from "../platform/db/statements";
import { annotations, clusters, locations } from "../workspace/tables";
import { ENTRY_TYPES, type EntryType } from "./tables";
import { DEFAULT_LANGUAGE, LANGUAGES, setOf } from "./text";

/** Kinds of resources. One capability decides who sees all resources of a kind. */
const KINDS = ["document", "location", "cluster", "annotation"] as const;
export type Kind = (typeof KINDS)[number];

/** The letters between scope and word in the terms of a kind: one for its words, one for the words of its names. */
interface KindPrefix {
  word: string;
  name: string;
}

export const KIND_PREFIXES: Readonly<Record<Kind, KindPrefix>> = {
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

/** The caller's restriction of a search. It never widens what the caller may see. */
export interface SearchScope {
  includeShared: boolean;
  organizationIds?: readonly string[] | undefined;
  clusterIds?: readonly string[] | undefined;
  locationIds?: readonly string[] | undefined;
  resultTypes?: readonly ResultType[] | undefined;
}

/** Paths by which a caller reaches a row, the widest first. Where two paths lead to a row, the wider one counts. */
const ACCESS_PATHS = ["tenants", "clusters", "locations", "documents"] as const satisfies (keyof Scope)[];
type AccessPath = (typeof ACCESS_PATHS)[number];

/** The paths to each kind: a grant on a location, for example, does not lead to its cluster. */
const PATHS_TO: Readonly<Record<Kind, readonly AccessPath[]>> = {
  cluster: ["tenants", "clusters"],
  location: ["tenants", "clusters", "locations"],
  annotation: ["tenants", "clusters", "locations"],
  document: ACCESS_PATHS,
};

const RULE: Readonly<Record<Kind, [capability: Capability, of: Parameters<typeof scopeOf>[2]]>> = {
  document: ["Documents", "document"],
  location: ["LocationView", "location"],
  cluster: ["ClusterView", "cluster"],
  annotation: ["LocationBundles", "content"],
};

/** One kind of resource that a caller may find, and the paths to it. */
interface KindScope {
  kind: Kind;
  types: readonly EntryType[];
  paths: readonly AccessPath[];
}

const NARROWINGS = ["organizationIds", "clusterIds", "locationIds"] as const satisfies (keyof SearchScope)[];
type Narrowing = (typeof NARROWINGS)[number];

/** The parts of an access scope that the text of a statement depends on. */
export interface AccessScopeForm {
  kinds: readonly KindScope[];
  /** Sets of the request that restrict the search. */
  narrowings: readonly Narrowing[];
  /** Whether all resources are of one tenant, and reached by it. */
  hasOneTenant: boolean;
}

/** The resources that a caller may find, within the restriction of a request. */
export interface AccessScope {
  form: AccessScopeForm;
  /** The sets themselves, under the names of the placeholders in `accessScopeRows` and `narrowed`. */
  values: Readonly<Record<string, string>>;
}

/**
 * Query of `(kind, path, id, scope)`: whole tenants and single resources, each with the scope its terms are
 * posted under. A search looks up only these scopes, so hidden resources cost nothing. `kind` is a KindPrefix of words.
 */
export const accessScopeRows: SQL = sql`SELECT r.value ->> 0 AS kind, r.value ->> 1 AS path, r.value ->> 2 AS id, s.key AS scope
  FROM json_each(${sql.placeholder("accessScope")}) r CROSS JOIN search_scopes s ON s.scope_id = r.value ->> 2`;

/** Whether a row of `access` leads to one row of the index: a shared cluster or location without its contents. */
export const hasOneRow = sql.raw(
  `(access.path, access.kind) IN (VALUES ('clusters', '${KIND_PREFIXES.cluster.word}'), ('locations', '${KIND_PREFIXES.location.word}'))`,
);

/** The access scope of a caller within a restriction; null if the caller may find nothing in it. */
export function accessScopeOf({ facts }: UserCaller, narrow: SearchScope): AccessScope | null {
  const { includeShared, organizationIds, resultTypes } = narrow;
  const given: [prefix: string, path: AccessPath, id: string][] = [];
  const kinds: KindScope[] = [];
  const narrowings = NARROWINGS.filter((name) => narrow[name] !== undefined);
  for (const kind of KINDS) {
    const types = ENTRY_TYPES.filter(
      (type) => kindOf(type) === kind && (resultTypes === undefined || resultTypes.includes(RESULT_TYPE_OF[type])),
    );
    if (types.length === 0 || narrowings.some((name) => columnsOf(SOURCES[kind])[name] === undefined)) continue;
    const [capability, of] = RULE[kind];
    const scope = scopeOf(facts, capability, of, { includeShared });
    const within =
      organizationIds === undefined ? scope.tenants : scope.tenants.filter((id) => organizationIds.includes(id));
    const sets = { ...scope, tenants: within };
    const paths = PATHS_TO[kind].filter((path) => sets[path].length > 0);
    for (const path of paths) for (const id of [...sets[path]].sort()) given.push([KIND_PREFIXES[kind].word, path, id]);
    if (paths.length > 0) kinds.push({ kind, types, paths });
  }
  if (kinds.length === 0) return null;
  const sets = narrowings.map((name) => [name, JSON.stringify(narrow[name])]);
  const [[, , tenant] = []] = given;
  const hasOneTenant = given.every(([, path, id]) => path === "tenants" && id === tenant);
  return {
    form: { kinds, narrowings, hasOneTenant },
    values: { accessScope: JSON.stringify(given), ...Object.fromEntries(sets) },
  };
}

interface Source {
  table: SQL;
  id: SQL;
  organizationId: SQL;
  /** The column by which each path reaches a row. */
  by: Readonly<Partial<Record<AccessPath, SQL>>>;
  /** Joins its location and cluster. */
  within: SQL;
  notDeleted: SQL;
}

const inExistingContainers = sql`l.deleted_at IS NULL AND c.deleted_at IS NULL`;
const within = sql`CROSS JOIN ${locations} l ON l.id = location_id CROSS JOIN ${clusters} c ON c.id = l.cluster_id`;

/** The rows of each kind that exist: neither they nor their location or cluster are deleted. */
const SOURCES: Readonly<Record<Kind, Source>> = {
  document: {
    table: sql`${documents} d`,
    id: sql`d.id`,
    organizationId: sql`d.organization_id`,
    by: { tenants: sql`d.tenant_id`, clusters: sql`d.cluster_id`, locations: sql`d.location_id`, documents: sql`d.id` },
    within,
    notDeleted: sql`${documentPublished("d")} AND ${inExistingContainers}`,
  },
  location: {
    table: sql`${locations} l`,
    id: sql`l.id`,
    organizationId: sql`l.organization_id`,
    by: { tenants: sql`l.tenant_id`, clusters: sql`l.cluster_id`, locations: sql`l.id` },
    within: sql`CROSS JOIN ${clusters} c ON c.id = l.cluster_id`,
    notDeleted: inExistingContainers,
  },
  cluster: {
    table: sql`${clusters} c`,
    id: sql`c.id`,
    organizationId: sql`c.organization_id`,
    by: { tenants: sql`c.tenant_id`, clusters: sql`c.id` },
    within: sql``,
    notDeleted: sql`c.deleted_at IS NULL`,
  },
  annotation: {
    table: sql`${annotations} a`,
    id: sql`a.id`,
    organizationId: sql`a.organization_id`,
    by: { tenants: sql`a.tenant_id`, clusters: sql`a.cluster_id`, locations: sql`a.location_id` },
    within,
    notDeleted: inExistingContainers,
  },
};

const list = (values: readonly string[]): SQL => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** The columns that restrictions compare. A cluster is in no location. */
const columnsOf = ({ organizationId, by }: Source): Readonly<Record<Narrowing, SQL | undefined>> => ({
  organizationIds: organizationId,
  clusterIds: by.clusters,
  locationIds: by.locations,
});

/** The restriction of the request. A unary plus keeps SQLite from using its index instead of the path's. */
function narrowed(source: Source, narrowings: readonly Narrowing[]): SQL {
  const columns = columnsOf(source);
  const terms = narrowings.map((name) => {
    const column = columns[name];
    return column === undefined ? sql`0` : inPlaceholder(sql`+${column}`, name);
  });
  return terms.length === 0 ? sql`1` : sql.join(terms, sql` AND `);
}

/**
 * The rows of one path without the rows of a wider path, so that no row counts twice. Kinds with one source share the
 * query: each mention of a named query makes SQLite analyze that query again.
 */
function onPath(kinds: readonly KindScope[], path: AccessPath, { by }: Source): SQL {
  const wider = ACCESS_PATHS.slice(0, ACCESS_PATHS.indexOf(path))
    .filter((other) => kinds.some(({ paths }) => paths.includes(path) && paths.includes(other)))
    .map(
      (other) =>
        sql` AND (access.kind, +${by[other]}) NOT IN (SELECT kind, id FROM access WHERE path = ${list([other])})`,
    );
  const prefixes = list(kinds.map(({ kind }) => KIND_PREFIXES[kind].word));
  return sql`access.path = ${list([path])} AND access.kind IN (${prefixes}) AND ${by[path]} = access.id${sql.join(wider, sql``)}`;
}

/** Whether a row `e` or `g` has a type of the kind of its row of `access`. */
function typesOfKinds(kinds: readonly KindScope[], type: SQL): SQL {
  const cases = kinds.map(
    ({ kind, types }) => sql`WHEN ${list([KIND_PREFIXES[kind].word])} THEN ${type} IN (${list(types)})`,
  );
  return sql`CASE access.kind ${sql.join(cases, sql` `)} END`;
}

const groupColumns = sql`g.key AS key, access.scope AS scope, tenant_key AS tenant, g.type = 'text' AS is_text`;

/** Places whose groups the caller may find today, as queries of `(kind, scope, place)`. A deleted place is not found. */
function visiblePlaces({ kinds, narrowings }: AccessScopeForm): SQL[] {
  // All entries but clusters are in locations.
  return (["location", "cluster"] as const).flatMap((place) => {
    const source = SOURCES[place];
    const inPlace = kinds.filter(({ kind }) => (kind === "cluster") === (place === "cluster"));
    // A document that is granted itself is reached without its place.
    const paths = ACCESS_PATHS.filter(
      (path) => path !== "documents" && inPlace.some((kindScope) => kindScope.paths.includes(path)),
    );
    return paths.map((path) => {
      const onThisPath = inPlace.filter((kindScope) => kindScope.paths.includes(path));
      return sql`
      SELECT access.kind AS kind, access.scope AS scope, ${source.id} AS place FROM access CROSS JOIN ${source.table} ${source.within}
      WHERE ${onPath(onThisPath, path, source)} AND ${source.notDeleted} AND ${narrowed(source, narrowings)}`;
    });
  });
}

/** The groups of the visible places. The places are one query, so that the columns are written once: SQLite analyzes them at each mention. */
function visibleGroups(form: AccessScopeForm): SQL[] {
  const places = visiblePlaces(form);
  return places.length === 0
    ? []
    : [
        sql`
      SELECT ${groupColumns}, NULL AS entry, row_count, passage_count, title_length, body_length, g.languages AS languages,
        NOT EXISTS (SELECT 1 FROM search_entries h WHERE h.group_key = g.key AND h.live <> 1) AS all_live
      FROM (${sql.join(places, sql` UNION ALL `)}) access CROSS JOIN search_groups g ON g.place_id = access.place
      WHERE ${typesOfKinds(form.kinds, sql`g.type`)}`,
      ];
}

/** Entries of the documents that were granted themselves, and that the caller reaches in no other way. */
function grantedEntries({ kinds, narrowings }: AccessScopeForm): SQL[] {
  const source = SOURCES.document;
  const granted = kinds.filter(({ paths }) => paths.includes("documents"));
  if (granted.length === 0) return [];
  return [
    sql`
      SELECT ${groupColumns}, e.key AS entry, e.row_count, e.passage_count, e.title_length * e.row_count, e.body_length, e.languages, 1
      FROM access CROSS JOIN ${source.table} ${source.within} CROSS JOIN search_entries e ON e.resource_id = ${source.id}
      CROSS JOIN search_groups g ON g.key = e.group_key
      WHERE ${onPath(granted, "documents", source)} AND ${source.notDeleted} AND ${narrowed(source, narrowings)}
        AND e.live = 1 AND ${typesOfKinds(granted, sql`e.type`)}`,
  ];
}

/**
 * The named query over `access` that `visibleRows` reads: the groups that the caller may find, and the granted entries
 * of other groups, each with its sums and the set of its languages. `all_live` is 0 for groups with entries that are not live.
 */
export function visibleGroupsAndEntries(form: AccessScopeForm): SQL {
  return sql`visible AS MATERIALIZED (${sql.join([...visibleGroups(form), ...grantedEntries(form)], sql` UNION ALL `)})`;
}

/** The languages of all visible entries, as one set. Entries that show no language have the stems of the default one. */
export const visibleLanguages = sql.raw(
  `SELECT (${LANGUAGES.map((_, bit) => `max(languages & ${1 << bit})`).join(" + ")}) | ${setOf(DEFAULT_LANGUAGE)} AS languages FROM visible`,
);

/** Whether a search looks for resources in chosen places alone. */
export const isInPlaces = ({ narrowings }: AccessScopeForm): boolean =>
  narrowings.some((name) => name === "clusterIds" || name === "locationIds");

/**
 * The visible rows among the rows of the query `from` of `(row, scope, …)`. `columns` reads it as `f`, the row of the
 * index as `r`, and `(tenant, is_text)` as `g`. A row is visible under one scope. Rows with a negative scope stay,
 * without columns of `r` and `g`: they are no rows of the index.
 */
export const visibleRows = (from: SQL, columns: SQL): SQL => sql`
  SELECT ${columns} FROM ${from} f LEFT JOIN search_rows r ON r.id = f.row
  LEFT JOIN visible g ON g.key = r.group_key AND g.scope = f.scope AND coalesce(g.entry, r.entry_key) = r.entry_key
  WHERE g.key IS NOT NULL AND (all_live OR EXISTS (SELECT 1 FROM search_entries e WHERE e.key = r.entry_key AND e.live = 1)) OR f.scope < 0`;

/** Whether one row `e` of search_entries that was found under one row of `access` is visible today. */
export function isVisibleEntry({ kinds, narrowings }: AccessScopeForm): SQL {
  const parts = kinds.map(({ kind, types, paths }) => {
    const source = SOURCES[kind];
    const { table, id, notDeleted, by } = source;
    const holder = sql.join(
      paths.map((path) => sql`WHEN ${list([path])} THEN ${by[path]}`),
      sql` `,
    );
    return sql`WHEN ${list([KIND_PREFIXES[kind].word])} THEN e.type IN (${list(types)}) AND EXISTS (
      SELECT 1 FROM ${table} ${source.within}
      WHERE ${id} = e.resource_id AND CASE access.path ${holder} END = access.id AND ${notDeleted} AND ${narrowed(source, narrowings)})`;
  });
  return sql`(e.live = 1 AND CASE access.kind ${sql.join(parts, sql` `)} END)`;
}

/**
 * Whether the group of some entries that were found under one row of `access` is visible today. `access` has its `group_key`
 * and `type` too, and `resource` for a document that is granted itself. The entries must be live.
 */
export function isVisibleGroup({ kinds, narrowings }: AccessScopeForm): SQL {
  const parts = kinds.map(({ kind, paths }) => {
    const place = SOURCES[kind === "cluster" ? "cluster" : "location"];
    const holder = sql.join(
      paths.map((path) => sql`WHEN ${list([path])} THEN ${place.by[path] ?? sql`access.resource`}`),
      sql` `,
    );
    return sql`WHEN ${list([KIND_PREFIXES[kind].word])} THEN EXISTS (
      SELECT 1 FROM search_groups g CROSS JOIN ${place.table} ON ${place.id} = g.place_id ${place.within}
      WHERE g.key = access.group_key AND CASE access.path ${holder} END = access.id AND ${place.notDeleted} AND ${narrowed(place, narrowings)})`;
  });
  return sql`(${typesOfKinds(kinds, sql`access.type`)} AND CASE access.kind ${sql.join(parts, sql` `)} END)`;
}
