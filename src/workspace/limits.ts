import { type SQL, sql } from "drizzle-orm";
import { DomainError } from "../platform/errors";

/** Clusters a workspace, locations a cluster and annotations a location may hold: a deletion marks them in one statement. */
export const MAX_CLUSTERS = 10_000;
export const MAX_LOCATIONS = 10_000;
export const MAX_ANNOTATIONS = 10_000;

/** Holds while `rows` (a query of any columns) finds fewer than `most`; reads no more than that. */
export const fewerThan = (most: number, rows: SQL): SQL =>
  sql`(SELECT count(*) FROM (${rows} LIMIT ${most})) < ${most}`;

export const limitReached = (what: string, most: number): DomainError =>
  new DomainError("rule-violated", `${what} holds ${most}, which is the most. Delete some, or use another.`);
