import { z } from "@hono/zod-openapi";
import { ACCESS_CHANGE_RETENTION_MS } from "../limits";

const userRow = z.object({ user_id: z.string() });
const timeRow = z.object({ at: z.number().nullable() });

/**
 * When the access of each user of a shard last became smaller, and when the next grant of a user ends, in its SQLite: pages
 * connect after they have read, and an object that sleeps must wake. Times are milliseconds since the epoch.
 */
export class AccessTimes {
  constructor(private readonly sql: SqlStorage) {
    sql.exec(`CREATE TABLE IF NOT EXISTS access_times (
      user_id TEXT PRIMARY KEY, changed_at INTEGER, ends_at INTEGER) WITHOUT ROWID`);
    sql.exec("CREATE INDEX IF NOT EXISTS access_ending ON access_times (ends_at) WHERE ends_at IS NOT NULL");
    sql.exec("CREATE INDEX IF NOT EXISTS access_changed ON access_times (changed_at)");
  }

  noteChange(userIds: readonly string[], now: number): void {
    for (const userId of userIds)
      this.sql.exec(
        "INSERT INTO access_times VALUES (?1, ?2, NULL) ON CONFLICT DO UPDATE SET changed_at = ?2",
        userId,
        now,
      );
  }

  isChangedSince(userId: string, time: number): boolean {
    const which = "WHERE user_id = ? AND changed_at >= ?";
    return this.sql.exec(`SELECT 1 FROM access_times ${which}`, userId, time).toArray().length > 0;
  }

  /** Sets the end of a user's next grant; null if none ends. */
  setEnd(userId: string, endsAt: number | null): void {
    this.sql.exec("UPDATE access_times SET ends_at = ?1 WHERE user_id = ?2 AND ends_at IS NOT ?1", endsAt, userId);
    if (endsAt !== null) this.endsBy(userId, endsAt);
  }

  /** Sets an end that was read some time ago. An earlier one stays: it may come from a later reading. */
  endsBy(userId: string, endsAt: number): void {
    this.sql.exec(
      `INSERT INTO access_times VALUES (?1, NULL, ?2)
        ON CONFLICT DO UPDATE SET ends_at = ?2 WHERE ends_at IS NULL OR ends_at > ?2`,
      userId,
      endsAt,
    );
  }

  /** Forgets ends of these users that have passed. */
  forgetEnds(userIds: readonly string[], now: number): void {
    for (const userId of userIds)
      this.sql.exec("UPDATE access_times SET ends_at = NULL WHERE user_id = ? AND ends_at <= ?", userId, now);
  }

  /** Users with a grant that has ended. */
  ended(now: number): string[] {
    return this.sql
      .exec("SELECT user_id FROM access_times WHERE ends_at <= ?", now)
      .toArray()
      .map((row) => userRow.parse(row).user_id);
  }

  /** The next end of a grant; null when none ends. */
  firstEnd(now: number): number | null {
    return timeRow.parse(this.sql.exec("SELECT min(ends_at) AS at FROM access_times WHERE ends_at > ?", now).one()).at;
  }

  /** Forgets changes that no page asks about any more, and users without an end. */
  forgetOld(now: number): void {
    const oldest = now - ACCESS_CHANGE_RETENTION_MS;
    this.sql.exec("DELETE FROM access_times WHERE changed_at < ? AND ends_at IS NULL", oldest);
  }
}
