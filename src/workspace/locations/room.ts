import { type SQL, sql } from "drizzle-orm";
import { fewerThan, MOST_LOCATIONS } from "../room";
import { locations } from "../tables";

/** Holds while a cluster may take one more location. */
export const hasRoom = (clusterId: string): SQL =>
  fewerThan(MOST_LOCATIONS, sql`SELECT 1 FROM ${locations} WHERE ${locations.clusterId} = ${clusterId}`);
