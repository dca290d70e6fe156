import { type SQL, sql } from "drizzle-orm";
import { organizations } from "../access/tables";
import { clusters, locations } from "./tables";

/*
 * A deletion marks the cluster or location, and all locations of a cluster, in one batch. What lies in
 * a location shows only while the location lives, and whatever adds to a place guards on these.
 */

/** Holds while the organization exists. */
export const organizationExists = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${organizations} WHERE ${organizations.id} = ${id})`;

/** Holds while the cluster exists and is not being deleted. */
export const clusterLives = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${clusters} WHERE ${clusters.id} = ${id} AND ${clusters.deletedAt} IS NULL)`;

/** Holds while the location exists and is not being deleted, nor its cluster. */
export const locationLives = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${id} AND ${locations.deletedAt} IS NULL)`;

/** Holds while the location lives in the cluster it was read in: what is added to it carries both. */
export const locationStands = ({ id, clusterId }: { id: string; clusterId: string }): SQL =>
  sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${id} AND ${locations.clusterId} = ${clusterId} AND ${locations.deletedAt} IS NULL)`;
