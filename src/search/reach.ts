import { type SQL, sql } from "drizzle-orm";
import { type Capability, type Scope, scopeOf, type UserCaller } from "../access";
import { KINDS, type Kind, kindOf, LETTERS } from "./kinds";
import { ENTRY_TYPES, type EntryType } from "./tables";

export const RESULT_TYPES = ["Document", "DocumentContent", "Location", "Cluster", "SpatialMetadata"] as const;
export type ResultType = (typeof RESULT_TYPES)[number];

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
export const WAYS = ["tenants", "clusters", "locations", "documents"] as const satisfies (keyof Scope)[];
export type Way = (typeof WAYS)[number];

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
export interface KindReached {
  kind: Kind;
  types: readonly EntryType[];
  ways: readonly Way[];
}

const NARROWINGS = ["organizationIds", "clusterIds", "locationIds"] as const satisfies (keyof SearchScope)[];
export type Narrowing = (typeof NARROWINGS)[number];

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
