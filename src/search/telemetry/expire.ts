import { sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";

/** Searches a slice forgets; their interactions go with them. */
const BATCH = 500;

/** Forgets what people searched for when SEARCH_TERMS_DAYS are over. */
export const expireSearches: JobHandler<"expire-searches"> = {
  async run(context) {
    const before = context.now - context.settings.SEARCH_TERMS_DAYS * DAY;
    const old = sql`SELECT id FROM search_impressions WHERE created_at < ${before} LIMIT ${BATCH}`;
    const [left] = await context.db.all<{ n: number }>(sql`SELECT count(*) AS "n" FROM (${old})`);
    const change = beginChange(context).add(sql`DELETE FROM search_impressions WHERE id IN (${old})`);
    return left?.n === BATCH ? again(null, { change }) : done(change);
  },
};
