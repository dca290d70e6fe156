import { byName } from "#texts/language.ts";
import { dataOf, eachItem, type Page } from "../../../../client/src/index.ts";
import { api } from "../platform/session.ts";
import { PERSONAL } from "../platform/workspace.ts";

/** A location to which documents and folders can move. */
export interface Target {
  id: string;
  name: string;
  /** The name of its group; null if the person may not see it. */
  cluster: string | null;
  /** Its name and group as a search compares them. */
  words: string;
}

/** A text as a search compares it: capital letters and accents do not count. */
export const comparable = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

async function collect<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of eachItem(read)) all.push(one);
  return all;
}

/** The locations of a workspace to which the person may move documents, by name. */
export async function readTargets(organizationId: string | null): Promise<Target[]> {
  const query = { organizationId: organizationId ?? PERSONAL, limit: 100 };
  const [locations, clusters] = await Promise.all([
    collect((cursor) => dataOf(api.GET("/v1/spatial/locations", { params: { query: { ...query, cursor } } }))),
    collect((cursor) => dataOf(api.GET("/v1/spatial/clusters", { params: { query: { ...query, cursor } } }))),
  ]);
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  return locations
    .filter(({ capabilities }) => capabilities.Documents === "Write")
    .map(({ id, name, clusterId }) => {
      const cluster = names.get(clusterId) ?? null;
      return { id, name, cluster, words: comparable(`${name} ${cluster ?? ""}`) };
    })
    .sort((a, b) => byName(a.name, b.name));
}
