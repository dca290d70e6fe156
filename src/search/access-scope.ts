import { type SQL, sql } from "drizzle-orm";
import type { Scope, UserCaller } from "../access";
import type { Context } from "../platform/context";
import { inPlaceholder } from "../platform/db/statements";
import { type GuestIndex, leadsTo, withIndexes, withoutGrantsIn } from "./guests";
import {
  ACCESS_PATHS,
  type AccessPath,
  KIND_PREFIXES,
  KINDS,
  type Kind,
  kindOf,
  RESULT_TYPE_OF,
  type ResultType,
  reachOf,
  SOURCES,
  type Source,
} from "./kinds";
import { ENTRY_TYPES, type EntryType, searchGuestTargets } from "./tables";
import { DEFAULT_LANGUAGE, LANGUAGES, setOf } from "./text";

/** The caller's restriction of a search. It never widens what the caller may see. */
export interface SearchScope {
  includeShared: boolean;
  organizationIds?: readonly string[] | undefined;
  clusterIds?: readonly string[] | undefined;
  locationIds?: readonly string[] | undefined;
  resultTypes?: readonly ResultType[] | undefined;
}

/** One kind of resource that a caller may find, and the paths to it. */
interface KindScope {
  kind: Kind;
  types: readonly EntryType[];
  paths: readonly AccessPath[];
  /** Whether the index of a guest leads to it too. */
  inGuestIndex: boolean;
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
  /** Whether some are looked up in the index of a guest. */
  hasGuestIndex: boolean;
}

/** The `path` of a row of `access` that is the index of a guest. */
const GUEST = "guest";

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

/** The sets without resources that the restriction leaves out in any case. */
function within(scope: Scope, { organizationIds, clusterIds, locationIds }: SearchScope): Scope {
  const among = (ids: readonly string[], wanted: readonly string[] | undefined): readonly string[] => {
    if (wanted === undefined || ids.length === 0) return ids;
    const given = new Set(ids);
    return [...new Set(wanted)].filter((id) => given.has(id));
  };
  return {
    tenants: among(scope.tenants, organizationIds),
    clusters: among(scope.clusters, clusterIds),
    locations: among(scope.locations, locationIds),
    documents: scope.documents,
  };
}

/**
 * The access scope of a caller within a restriction; null if the caller may find nothing in it. The grants of the organizations with an
 * index of the caller are looked up there.
 */
export function accessScopeOf(
  { facts }: UserCaller,
  narrow: SearchScope,
  indexes: readonly GuestIndex[] = [],
): AccessScope | null {
  const { includeShared, organizationIds, resultTypes } = narrow;
  const given: [prefix: string, path: AccessPath | typeof GUEST, id: string][] = [];
  const kinds: KindScope[] = [];
  const narrowings = NARROWINGS.filter((name) => narrow[name] !== undefined);
  const others = withoutGrantsIn(facts, indexes);
  const chosen = indexes.filter(({ organizationId }) => organizationIds?.includes(organizationId) !== false);
  for (const kind of KINDS) {
    const types = ENTRY_TYPES.filter(
      (type) => kindOf(type) === kind && (resultTypes === undefined || resultTypes.includes(RESULT_TYPE_OF[type])),
    );
    if (types.length === 0 || narrowings.some((name) => columnsOf(SOURCES[kind])[name] === undefined)) continue;
    const sets = within(reachOf(others, kind, includeShared), narrow);
    const paths = ACCESS_PATHS.filter((path) => sets[path].length > 0);
    // A caller who may see all resources of a kind in an organization finds them under the scope of the organization.
    const own = includeShared
      ? chosen.filter((index) => !sets.tenants.includes(index.organizationId) && leadsTo(facts, index, kind))
      : [];
    const prefix = KIND_PREFIXES[kind].word;
    for (const path of paths) for (const id of [...sets[path]].sort()) given.push([prefix, path, id]);
    for (const { scopeId } of own) given.push([prefix, GUEST, scopeId]);
    const inGuestIndex = own.length > 0;
    if (paths.length > 0 || inGuestIndex) kinds.push({ kind, types, paths, inGuestIndex });
  }
  if (kinds.length === 0) return null;
  const sets = narrowings.map((name) => [name, JSON.stringify(narrow[name])]);
  const [[, , tenant] = []] = given;
  const hasOneTenant = given.every(([, path, id]) => path === "tenants" && id === tenant);
  return {
    form: { kinds, narrowings, hasOneTenant, hasGuestIndex: kinds.some(({ inGuestIndex }) => inGuestIndex) },
    values: { accessScope: JSON.stringify(given), ...Object.fromEntries(sets) },
  };
}

/** Reads with the access scope of a caller. A search in chosen places looks up the grants: those in other places are left out. */
export const withAccessScope = <T>(
  context: Context,
  caller: UserCaller,
  narrow: SearchScope,
  read: (access: AccessScope | null) => Promise<T>,
): Promise<T> =>
  withIndexes(
    context,
    caller,
    narrow.includeShared && narrow.clusterIds === undefined && narrow.locationIds === undefined,
    (indexes) => read(accessScopeOf(caller, narrow, indexes)),
  );

const list = (values: readonly string[]): SQL => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** The columns that restrictions compare. A cluster is in no location. */
const columnsOf = ({ organizationId, by }: Source): Readonly<Record<Narrowing, SQL | undefined>> => ({
  organizationIds: organizationId,
  clusterIds: by.clusters,
  locationIds: by.locations,
});

/** The restriction of the request. The unary plus keeps SQLite from using the index of the restriction, so it uses the index of the path. */
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

const isAllLive = sql`NOT EXISTS (SELECT 1 FROM search_entries h WHERE h.group_key = g.key AND h.live <> 1)`;

const groupColumns = sql`g.key AS key, access.scope AS scope, tenant_key AS tenant, g.type = 'text' AS is_text`;

/** Places whose groups the caller may find today, as queries of `(kind, scope, place)`. A deleted place is not found. */
function visiblePlaces({ kinds, narrowings }: AccessScopeForm): SQL[] {
  // All entries but clusters are in locations.
  return (["location", "cluster"] as const).flatMap((place) => {
    const source = SOURCES[place];
    const ofPlace = kinds.filter(({ kind }) => (kind === "cluster") === (place === "cluster"));
    // A document that is granted itself is reached without its place.
    const paths = ACCESS_PATHS.filter(
      (path) => path !== "documents" && ofPlace.some((kindScope) => kindScope.paths.includes(path)),
    );
    return paths.map((path) => {
      const onThisPath = ofPlace.filter((kindScope) => kindScope.paths.includes(path));
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
        ${isAllLive} AS all_live
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

/** The types that are looked up in the index of a guest. */
const typesOfGuest = ({ kinds }: AccessScopeForm): readonly EntryType[] =>
  kinds.filter(({ inGuestIndex }) => inGuestIndex).flatMap(({ types }) => types);

/** The stored sums of everything that a guest may see. `groupsOfGuest` reads a group only if a row of it was found. */
const sumsOfGuest = (form: AccessScopeForm): SQL[] =>
  form.hasGuestIndex
    ? [
        sql`
      SELECT NULL AS key, access.scope AS scope, tenant_key AS tenant, g.type = 'text' AS is_text, NULL AS entry, row_count, passage_count, title_length,
        body_length, languages, 1 AS all_live
      FROM access CROSS JOIN search_guest_sums g ON g.guest_key = access.scope
      WHERE access.path = ${list([GUEST])} AND ${typesOfKinds(form.kinds, sql`g.type`)}`,
      ]
    : [];

/** Whether a grant leads to one of these resources, of which each contains the next one. `kind` is a letter. */
const isGranted = (guest: SQL, kind: SQL, ...ids: (SQL | undefined)[]): SQL => sql`EXISTS (
  SELECT 1 FROM ${searchGuestTargets} t WHERE t.target_id IN (${sql.join(
    ids.filter((id) => id !== undefined),
    sql`, `,
  )}) AND t.guest_key = ${guest} AND t.state = 1 AND instr(t.kinds, ${kind}) > 0)`;

/** The letter of the kind of a group `g`. */
const letterOfGroup = sql`iif(g.type = 'text', 'd', substr(g.type, 1, 1))`;

/** The groups of rows that were found in the index of a guest, like those in `visible`. `by_place` is 0 if the place is not granted. */
function groupsOfGuest(form: AccessScopeForm): SQL {
  const groups = (["location", "cluster"] as const).map((place) => {
    const { table, within, notDeleted, by } = SOURCES[place];
    const types = typesOfGuest(form).filter((type) => (type === "cluster") === (place === "cluster"));
    return sql`SELECT g.key AS key, f.scope AS scope, g.tenant_key AS tenant, g.type = 'text' AS is_text, NULL AS entry, ${isAllLive} AS all_live,
        ${isGranted(sql`f.scope`, letterOfGroup, by.clusters, by.locations)} AS by_place
      FROM groups_found f CROSS JOIN search_groups g ON g.key = f.group_key CROSS JOIN ${table} ON ${SOURCES[place].id} = g.place_id ${within}
      WHERE g.type IN (${list(types)}) AND ${notDeleted}`;
  });
  return sql.join(groups, sql` UNION ALL `);
}

/**
 * The named query over `access` that `visibleRows` reads: the groups that the caller may find, and the granted entries
 * of other groups, each with its sums and the set of its languages. `all_live` is 0 for groups with entries that are not live.
 */
export function visibleGroupsAndEntries(form: AccessScopeForm): SQL {
  return sql`visible AS MATERIALIZED (${sql.join([...visibleGroups(form), ...grantedEntries(form), ...sumsOfGuest(form)], sql` UNION ALL `)})`;
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
 * without columns of `r` and `g`: they are no rows of the index. Of rows in the index of a guest, the groups are looked up once.
 */
export function visibleRows(form: AccessScopeForm, from: SQL, columns: SQL): SQL {
  const rows = (rowsFrom: SQL, groups: SQL, isShown: SQL) => sql`
  SELECT ${columns} FROM ${rowsFrom} f LEFT JOIN search_rows r ON r.id = f.row
  LEFT JOIN ${groups} g ON g.key = r.group_key AND g.scope = f.scope AND coalesce(g.entry, r.entry_key) = r.entry_key
  WHERE g.key IS NOT NULL ${isShown} AND (all_live OR EXISTS (SELECT 1 FROM search_entries e WHERE e.key = r.entry_key AND e.live = 1)) OR f.scope < 0`;
  if (!form.hasGuestIndex) return rows(from, sql`visible`, sql``);
  const isGrantedItself = sql`EXISTS (SELECT 1 FROM search_entries e WHERE e.key = r.entry_key AND ${isGranted(
    sql`f.scope`,
    list([KIND_PREFIXES.document.word]),
    sql`e.resource_id`,
  )})`;
  return sql`WITH rows_found AS MATERIALIZED (SELECT * FROM ${from}),
    groups_found AS MATERIALIZED (
      SELECT DISTINCT f.scope AS scope, r.group_key AS group_key FROM rows_found f CROSS JOIN search_rows r ON r.id = f.row
      WHERE f.scope IN (SELECT scope FROM access WHERE path = ${list([GUEST])})),
    groups_shown AS MATERIALIZED (
      ${groupsOfGuest(form)} UNION ALL SELECT key, scope, tenant, is_text, entry, all_live, 1 FROM visible WHERE key IS NOT NULL)
    ${rows(sql`rows_found`, sql`groups_shown`, sql`AND (by_place OR ${isGrantedItself})`)}`;
}

/** For each `access.path`, the id through which the caller sees a row of a kind. If it is NULL or differs from `access.id`, the caller does not see the row this way. */
function holderOf({ kind, paths, inGuestIndex }: KindScope, by: Source["by"]): SQL {
  const cases = paths.map((path) => sql`WHEN ${list([path])} THEN ${by[path]}`);
  const ids = [by.clusters, by.locations, ...(kind === "document" ? [by.documents] : [])];
  const granted = isGranted(sql`access.scope`, list([KIND_PREFIXES[kind].word]), ...ids);
  if (inGuestIndex) cases.push(sql`WHEN ${list([GUEST])} THEN iif(${granted}, access.id, NULL)`);
  return sql.join(cases, sql` `);
}

/** Whether one row `e` of search_entries that was found under one row of `access` is visible today. */
export function isVisibleEntry({ kinds, narrowings }: AccessScopeForm): SQL {
  const parts = kinds.map((kindScope) => {
    const { kind, types } = kindScope;
    const source = SOURCES[kind];
    const { table, id, notDeleted, by } = source;
    const holder = holderOf(kindScope, by);
    return sql`WHEN ${list([KIND_PREFIXES[kind].word])} THEN e.type IN (${list(types)}) AND EXISTS (
      SELECT 1 FROM ${table} ${source.within}
      WHERE ${id} = e.resource_id AND CASE access.path ${holder} END = access.id AND ${notDeleted} AND ${narrowed(source, narrowings)})`;
  });
  return sql`(e.live = 1 AND CASE access.kind ${sql.join(parts, sql` `)} END)`;
}

/**
 * Whether the group of some entries that were found under one row of `access` is visible today. `access` has its `group_key`
 * and `type` too, and `resource` for a document that is granted itself, or in the index of a guest. The entries must be live.
 */
export function isVisibleGroup({ kinds, narrowings }: AccessScopeForm): SQL {
  const parts = kinds.map((kindScope) => {
    const { kind } = kindScope;
    const place = SOURCES[kind === "cluster" ? "cluster" : "location"];
    const holder = holderOf(kindScope, { ...place.by, documents: sql`access.resource` });
    return sql`WHEN ${list([KIND_PREFIXES[kind].word])} THEN EXISTS (
      SELECT 1 FROM search_groups g CROSS JOIN ${place.table} ON ${place.id} = g.place_id ${place.within}
      WHERE g.key = access.group_key AND CASE access.path ${holder} END = access.id AND ${place.notDeleted} AND ${narrowed(place, narrowings)})`;
  });
  return sql`(${typesOfKinds(kinds, sql`access.type`)} AND CASE access.kind ${sql.join(parts, sql` `)} END)`;
}
