import { type SQL, sql } from "drizzle-orm";
import { DomainError } from "../platform/errors";

/** Largest number of clusters in a workspace, of locations in a cluster and of annotations in a location. A deletion marks them in one statement. */
export const MAX_CLUSTERS = 10_000;
export const MAX_LOCATIONS = 10_000;
export const MAX_ANNOTATIONS = 10_000;

/** Guard: `rows` (a query of any columns) finds fewer than `most` rows. It reads at most `most` rows. */
export const fewerThan = (most: number, rows: SQL): SQL =>
  sql`(SELECT count(*) FROM (${rows} LIMIT ${most})) < ${most}`;

export const limitReached = (what: string, most: number): DomainError =>
  new DomainError("rule-violated", `${what} holds ${most}, which is the most. Delete some, or use another.`);
