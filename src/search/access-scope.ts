import { type SQL, sql } from "drizzle-orm";
import { type Capability, type Scope, scopeOf, type UserCaller } from "../access";
import { documentPublished, documents } from "../documents/tables";
import { inPlaceholder } from "../platform/db/statements";
import { annotations, clusters, locations } from "../workspace/tables";
import { MAX_SCOPES_OF_GUEST } from "./limits";
import { ENTRY_TYPES, type EntryType } from "./tables";

/** Kinds of resources. One capability decides who sees all resources of a kind. */
const KINDS = ["document", "location", "cluster", "annotation"] as const;
export type Kind = (typeof KINDS)[number];

/** The letter between scope and word in the terms of a kind: of its words, and of the words of its names. */
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

export const kindOf = (type: EntryType): Kind => (type === "text" ? "document" : type);

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
export const ACCESS_PATHS = ["tenants", "clusters", "locations", "documents"] as const satisfies (keyof Scope)[];
export type AccessPath = (typeof ACCESS_PATHS)[number];

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
export interface KindScope {
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
  /** Whether terms are looked up in the workspaces of the shared resources, and not under each of these resources. */
  throughWorkspaces: boolean;
}

/** The resources that a caller may find, within the restriction of a request. */
export interface AccessScope {
  form: AccessScopeForm;
  /** The sets themselves, under the names of the placeholders in `accessScopeRows` and `narrowed`. */
  values: Readonly<Record<string, string>>;
  /** The number of shared resources. */
  shared: number;
}

const LETTERS = KINDS.map((kind) => KIND_PREFIXES[kind].word);

/**
 * The parameter is an object of codes by ids: SQLite reads its keys and values without parsing each of them again. A code has the letters
 * of the kinds at their places, and then the path.
 */
const codeOf = (path: AccessPath, kinds: ReadonlySet<Kind>): string =>
  KINDS.map((kind) => (kinds.has(kind) ? KIND_PREFIXES[kind].word : "-")).join("") + path;
const [kindsOfRow, pathOfRow] = [`substr(r.value, 1, ${KINDS.length})`, `substr(r.value, ${KINDS.length + 1})`].map(
  (text) => sql.raw(text),
);

/**
 * Query of `(kind, path, id, scope)`: whole tenants and single resources, each with the scope its terms are
 * posted under. A search looks up only these scopes, so hidden resources cost nothing. `kind` is a KindPrefix of words.
 */
export const accessScopeRows: SQL = sql`SELECT kind.value AS kind, ${pathOfRow} AS path, r.key AS id, s.key AS scope
  FROM json_each(${sql.raw(`'${JSON.stringify(LETTERS)}'`)}) kind CROSS JOIN json_each(${sql.placeholder("accessScope")}) r
  ON substr(r.value, kind.key + 1, 1) = kind.value CROSS JOIN search_scopes s ON s.scope_id = r.key`;

/** The same for a form. Through workspaces, it is `(kinds, path, id)`: one row has all kinds, and no scope is looked up. */
export const accessRowsOf = ({ throughWorkspaces }: AccessScopeForm): SQL =>
  throughWorkspaces
    ? sql`SELECT ${kindsOfRow} AS kinds, ${pathOfRow} AS path, r.key AS id FROM json_each(${sql.placeholder("accessScope")}) r`
    : accessScopeRows;

/** Whether a row of `access` leads to one row of the index: a shared cluster or location without its contents. */
export const hasOneRow = sql.raw(
  `(access.path, access.kind) IN (VALUES ('clusters', '${KIND_PREFIXES.cluster.word}'), ('locations', '${KIND_PREFIXES.location.word}'))`,
);

/** The access scope of a caller within a restriction; null if the caller may find nothing in it. */
export function accessScopeOf({ facts }: UserCaller, narrow: SearchScope): AccessScope | null {
  const { includeShared, organizationIds, resultTypes } = narrow;
  const given = new Map<string, [path: AccessPath, kinds: Set<Kind>]>();
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
    for (const path of paths)
      for (const id of sets[path]) {
        const known = given.get(id);
        if (known === undefined) given.set(id, [path, new Set([kind])]);
        else known[1].add(kind);
      }
    if (paths.length > 0) kinds.push({ kind, types, paths });
  }
  if (kinds.length === 0) return null;
  const sets = narrowings.map((name) => [name, JSON.stringify(narrow[name])]);
  const order = (path: AccessPath): number => ACCESS_PATHS.indexOf(path);
  const sorted = [...given].sort(([a, [p]], [b, [q]]) => order(p) - order(q) || (a < b ? -1 : 1));
  const shared = sorted.filter(([, [path]]) => path !== "tenants").length;
  const codes = sorted.map(([id, [path, of]]) => [id, codeOf(path, of)]);
  return {
    form: { kinds, narrowings, hasOneTenant: sorted.length === 1 && shared === 0, throughWorkspaces: false },
    values: { accessScope: JSON.stringify(Object.fromEntries(codes)), ...Object.fromEntries(sets) },
    shared,
  };
}

/**
 * The same access for a guest with many shared resources, with the terms looked up in their workspaces: the number of lookups does not
 * grow with the grants. Null with few, where each is looked up. Rows that the caller may not see are read too, so a statement reads
 * MAX_WORKSPACE_OCCURRENCES at most and tells if there are more; then the resources are looked up. Both give the same answer.
 */
export const throughWorkspaces = (access: AccessScope): AccessScope | null =>
  access.shared > MAX_SCOPES_OF_GUEST ? { ...access, form: { ...access.form, throughWorkspaces: true } } : null;

export interface Source {
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
export const SOURCES: Readonly<Record<Kind, Source>> = {
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

export const list = (values: readonly string[]): SQL => sql.raw(values.map((value) => `'${value}'`).join(", "));

/** The columns that restrictions compare. A cluster is in no location. */
const columnsOf = ({ organizationId, by }: Source): Readonly<Record<Narrowing, SQL | undefined>> => ({
  organizationIds: organizationId,
  clusterIds: by.clusters,
  locationIds: by.locations,
});

/** The restriction of the request. A unary plus keeps SQLite from using its index instead of the path's. */
export function narrowed(source: Source, narrowings: readonly Narrowing[]): SQL {
  const columns = columnsOf(source);
  const terms = narrowings.map((name) => {
    const column = columns[name];
    return column === undefined ? sql`0` : inPlaceholder(sql`+${column}`, name);
  });
  return terms.length === 0 ? sql`1` : sql.join(terms, sql` AND `);
}
