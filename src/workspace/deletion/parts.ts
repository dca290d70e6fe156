import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { annotations, clusters, locations } from "../tables";
import type { Tree, TreePart } from "./tree";

/** A part whose rows are found by a condition and deleted by id; none of a tree that cannot hold it. */
function rowsPart(
  name: string,
  table: SQLiteTable & { id: typeof annotations.id | typeof locations.id | typeof clusters.id },
  within: (tree: Tree) => SQL | undefined,
): TreePart {
  return {
    name,
    async take({ db }: Context, tree, change, limit) {
      const condition = within(tree);
      if (condition === undefined) return 0;
      const rows = await db.select({ id: table.id }).from(table).where(condition).limit(limit);
      const ids = rows.map((row) => row.id);
      if (ids.length > 0) change.add(db.delete(table).where(inSet(table.id, ids)));
      return ids.length;
    },
  };
}

/** Holds for rows of a deleted location: what was restored is never taken. */
const inDeleted = (locationId: typeof annotations.locationId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${locationId} AND ${locations.deletedAt} IS NOT NULL)`;

export const annotationPart = rowsPart("annotations", annotations, ({ type, id }) => {
  if (type === "document") return undefined;
  const held = type === "cluster" ? eq(annotations.clusterId, id) : eq(annotations.locationId, id);
  return and(held, inDeleted(annotations.locationId));
});

/** Grants go with the row they name, by triggers. */
export const locationPart = rowsPart("locations", locations, ({ type, id }) => {
  if (type === "cluster") return and(eq(locations.clusterId, id), isNotNull(locations.deletedAt));
  return type === "location" ? and(eq(locations.id, id), isNotNull(locations.deletedAt)) : undefined;
});

export const clusterPart = rowsPart("clusters", clusters, ({ type, id }) =>
  type === "cluster" ? and(eq(clusters.id, id), isNotNull(clusters.deletedAt)) : undefined,
);
