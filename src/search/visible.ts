import { type SQL, sql } from "drizzle-orm";
import {
  ACCESS_PATHS,
  type AccessPath,
  type AccessScopeForm,
  KIND_PREFIXES,
  type KindScope,
  kindOf,
  list,
  narrowed,
  SOURCES,
  type Source,
} from "./access-scope";
import { ENTRY_TYPES } from "./tables";
import { DEFAULT_LANGUAGE, LANGUAGES, setOf } from "./text";

/**
 * The rows of one path without the rows of a wider path, so that no row counts twice. Kinds with one source share the
 * query: each mention of a named query makes SQLite analyze that query again.
 */
function onPath(kinds: readonly KindScope[], path: AccessPath, { by }: Source): SQL {
  const wider = widerPaths(kinds, path).map(
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

/** The paths before this one that lead to a row of some of the kinds. */
const widerPaths = (kinds: readonly KindScope[], path: AccessPath): AccessPath[] =>
  ACCESS_PATHS.slice(0, ACCESS_PATHS.indexOf(path)).filter((other) =>
    kinds.some(({ paths }) => paths.includes(path) && paths.includes(other)),
  );

/**
 * `visibleGroups` and `grantedEntries` through workspaces: each place is read once for all kinds. `held` has the kinds by which a wider
 * path leads to it.
 */
function visibleThroughWorkspaces({ kinds, narrowings }: AccessScopeForm): SQL[] {
  const onPathAlone = (of: readonly KindScope[], path: AccessPath, { by, notDeleted, ...source }: Source) => {
    const held = widerPaths(of, path).flatMap((other) =>
      of
        .map(({ kind }) => list([KIND_PREFIXES[kind].word]))
        .map((kind) => {
          const wider = sql`SELECT id FROM access WHERE path = ${list([other])} AND instr(kinds, ${kind})`;
          return sql` || iif(+${by[other]} IN (${wider}), ${kind}, '')`;
        }),
    );
    return {
      held: sql`'' ${sql.join(held)}`,
      where: sql`access.path = ${list([path])} AND ${by[path]} = access.id AND ${notDeleted} AND ${narrowed({ by, notDeleted, ...source }, narrowings)}`,
    };
  };
  const places = (["location", "cluster"] as const).flatMap((place) => {
    const source = SOURCES[place];
    const inPlace = kinds.filter(({ kind }) => (kind === "cluster") === (place === "cluster"));
    return ACCESS_PATHS.filter((path) => path !== "documents" && inPlace.some(({ paths }) => paths.includes(path))).map(
      (path) => {
        const { held, where } = onPathAlone(inPlace, path, source);
        return sql`SELECT access.kinds AS kinds, ${held} AS held, ${source.id} AS place
        FROM access CROSS JOIN ${source.table} ${source.within} WHERE ${where}`;
      },
    );
  });
  const cases = ENTRY_TYPES.map((type) => sql`WHEN ${list([type])} THEN ${list([KIND_PREFIXES[kindOf(type)].word])}`);
  const kind = sql`CASE g.type ${sql.join(cases, sql` `)} END`;
  const columns = sql`g.key AS key, tenant_key AS scope, tenant_key AS tenant, g.type = 'text' AS is_text`;
  const found: SQL[] = [];
  if (places.length > 0)
    found.push(sql`
      SELECT ${columns}, NULL AS entry, row_count, passage_count, title_length, body_length, g.languages AS languages, ${kind} AS kind,
        NOT EXISTS (SELECT 1 FROM search_entries h WHERE h.group_key = g.key AND h.live <> 1) AS all_live
      FROM (${sql.join(places, sql` UNION ALL `)}) p CROSS JOIN search_groups g ON g.place_id = p.place
      WHERE g.type IN (${list(kinds.flatMap(({ types }) => types))}) AND instr(p.kinds, ${kind}) AND NOT instr(p.held, ${kind})`);
  const granted = kinds.filter(({ paths }) => paths.includes("documents"));
  const [document] = granted;
  if (document !== undefined) {
    const source = SOURCES.document;
    const { held, where } = onPathAlone(granted, "documents", source);
    const letter = list([KIND_PREFIXES.document.word]);
    found.push(sql`
      SELECT ${columns}, e.key AS entry, e.row_count, e.passage_count, e.title_length * e.row_count, e.body_length, e.languages, ${letter} AS kind, 1 AS all_live
      FROM access CROSS JOIN ${source.table} ${source.within} CROSS JOIN search_entries e ON e.resource_id = ${source.id}
      CROSS JOIN search_groups g ON g.key = e.group_key
      WHERE ${where} AND instr(access.kinds, ${letter}) AND NOT instr(${held}, ${letter}) AND e.live = 1 AND e.type IN (${list(document.types)})`);
  }
  return found;
}

/**
 * The named query over `access` that `visibleRows` reads: the groups that the caller may find, and the granted entries
 * of other groups, each with its sums and the set of its languages. `all_live` is 0 for groups with entries that are not live.
 */
export function visibleGroupsAndEntries(form: AccessScopeForm): SQL {
  const parts = form.throughWorkspaces
    ? visibleThroughWorkspaces(form)
    : [...visibleGroups(form), ...grantedEntries(form)];
  return sql`visible AS MATERIALIZED (${sql.join(parts, sql` UNION ALL `)})`;
}

/** Query of `(scope, kind)`: where the terms of visible rows are looked up. `access` and `visible` are named queries. */
export const lookedUp = ({ throughWorkspaces }: AccessScopeForm): SQL =>
  throughWorkspaces ? sql`SELECT DISTINCT scope, kind FROM visible` : sql`SELECT DISTINCT scope, kind FROM access`;

/** The languages of all visible entries, as one set. Entries that show no language have the stems of the default one. */
export const visibleLanguages = sql.raw(
  `SELECT (${LANGUAGES.map((_, bit) => `max(languages & ${1 << bit})`).join(" + ")}) | ${setOf(DEFAULT_LANGUAGE)} AS languages FROM visible`,
);

/** Whether a search looks for resources in chosen places alone. */
export const isInPlaces = ({ narrowings }: AccessScopeForm): boolean =>
  narrowings.some((name) => name === "clusterIds" || name === "locationIds");

/**
 * The visible rows among those of the query `from` of `(row, scope, …)`. `columns` reads it as `f`, the row of the index
 * as `r`, and `(tenant, is_text)` as `g`. A row is visible under one scope. Rows with a negative scope stay, without columns of
 * `r` and `g`: they are no rows of the index.
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
