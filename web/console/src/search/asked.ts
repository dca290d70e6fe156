import { dataOf, type SearchRequest, type SearchResponse } from "../../../../client/src/index.ts";
import { searchPath } from "../../../../src/platform/paths.ts";
import { api } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";

/** Kinds of results that a person can select, with the types of the API. */
const TYPES_OF = {
  documents: ["Document", "DocumentContent"],
  locations: ["Location"],
  clusters: ["Cluster"],
  notes: ["SpatialMetadata"],
} as const;
type KindChoice = keyof typeof TYPES_OF;
export const KIND_CHOICES = Object.keys(TYPES_OF) as KindChoice[];

/** The scope of a search: the organization that the console shows (`here`), one cluster or location, or everything. */
export type Place = "" | "here" | `cluster:${string}` | `location:${string}`;

/** A search as the address contains it. */
export interface Asked {
  term: string;
  kind: KindChoice | null;
  place: Place;
  /** Whether the term is searched as typed, without a correction. */
  asTyped: boolean;
  /** Id of the result that is shown at the side. */
  open: string | null;
}

const isKind = (value: string | null): value is KindChoice => KIND_CHOICES.some((kind) => kind === value);
const isPlace = (value: string): value is Place => value === "here" || /^(cluster|location):[0-9a-f-]{36}$/.test(value);

export function askedIn({ searchParams }: URL): Asked {
  const [kind, place] = [searchParams.get("kind"), searchParams.get("in") ?? ""];
  return {
    term: (searchParams.get("q") ?? "").trim(),
    kind: isKind(kind) ? kind : null,
    place: isPlace(place) && (place !== "here" || organization.value !== null) ? place : "",
    asTyped: searchParams.get("as") === "typed",
    open: searchParams.get("open"),
  };
}

/** The address of a search. */
export function askedPath({ term, kind, place, asTyped, open }: Asked): string {
  const query = new URLSearchParams({
    ...(kind !== null && { kind }),
    ...(place !== "" && { in: place }),
    ...(asTyped && { as: "typed" }),
    ...(open !== null && { open }),
  });
  return `${searchPath(term)}${query.size > 0 ? `&${query}` : ""}`;
}

/** One page of results. */
export function search(
  { term, kind, place, asTyped }: Omit<Asked, "open">,
  part: Pick<SearchRequest, "limit" | "cursor" | "documentId">,
  signal?: AbortSignal,
): Promise<SearchResponse> {
  const [of, id = ""] = place.split(":");
  const here = organization.value;
  const body: SearchRequest = {
    term,
    ...part,
    ...(asTyped && { correct: false }),
    scope: {
      includeShared: true,
      ...(kind !== null && { resultTypes: [...TYPES_OF[kind]] }),
      ...(of === "here" && here !== null && { organizationIds: [here.id] }),
      ...(of === "cluster" && { clusterIds: [id] }),
      ...(of === "location" && { locationIds: [id] }),
    },
  };
  return dataOf(api.POST("/v1/search", { body, ...(signal && { signal }) }));
}

/** Pause in typing after which a search begins. */
export const TYPING_RESTS_MS = 200;
