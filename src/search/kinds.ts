import { type SQL, sql } from "drizzle-orm";
import { type AccessFacts, type Capability, type Scope, scopeOf } from "../access";
import { documentPublished, documents } from "../documents/tables";
import { annotations, clusters, locations } from "../workspace/tables";
import type { EntryType } from "./tables";

/** Kinds of resources. One capability decides who sees all resources of a kind. */
export const KINDS = ["document", "location", "cluster", "annotation"] as const;
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

export const kindOf = (type: EntryType): Kind => (type === "text" ? "document" : type);

export const RESULT_TYPES = ["Document", "DocumentContent", "Location", "Cluster", "SpatialMetadata"] as const;
export type ResultType = (typeof RESULT_TYPES)[number];

export const RESULT_TYPE_OF: Readonly<Record<EntryType, ResultType>> = {
  document: "Document",
  text: "DocumentContent",
  location: "Location",
  cluster: "Cluster",
  annotation: "SpatialMetadata",
};

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

/** The resources of one kind that a caller may find, by the paths to them. */
export function reachOf(facts: AccessFacts, kind: Kind, includeShared: boolean): Scope {
  const [capability, of] = RULE[kind];
  const scope = scopeOf(facts, capability, of, { includeShared });
  const leads = (path: AccessPath): readonly string[] => (PATHS_TO[kind].includes(path) ? scope[path] : []);
  return {
    tenants: leads("tenants"),
    clusters: leads("clusters"),
    locations: leads("locations"),
    documents: leads("documents"),
  };
}

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
const inPlace = sql`CROSS JOIN ${locations} l ON l.id = location_id CROSS JOIN ${clusters} c ON c.id = l.cluster_id`;

/** The rows of each kind that exist: neither they nor their location or cluster are deleted. */
export const SOURCES: Readonly<Record<Kind, Source>> = {
  document: {
    table: sql`${documents} d`,
    id: sql`d.id`,
    organizationId: sql`d.organization_id`,
    by: { tenants: sql`d.tenant_id`, clusters: sql`d.cluster_id`, locations: sql`d.location_id`, documents: sql`d.id` },
    within: inPlace,
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
    within: inPlace,
    notDeleted: inExistingContainers,
  },
};
