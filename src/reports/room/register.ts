import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { reportRoomMembers } from "../tables";

type Write = Pick<Context, "db">;

/**
 * Who is in a room, written to the database so that a loss of access finds them. One write follows the other:
 * a window that closes strikes out nobody whose next window is open by then.
 */
export class Register {
  #work: Promise<unknown> = Promise.resolve();

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#work.then(work, work);
    this.#work = mine;
    return mine;
  }

  /** Writes down somebody whose connection is open, until the last of their tokens runs out. */
  enter({ db }: Write, row: typeof reportRoomMembers.$inferInsert): Promise<unknown> {
    const longest = { expiresAt: sql`max(${reportRoomMembers.expiresAt}, excluded.expires_at)` };
    return this.#inTurn(async () =>
      db
        .insert(reportRoomMembers)
        .values(row)
        .onConflictDoUpdate({ target: [reportRoomMembers.reportId, reportRoomMembers.userId], set: longest }),
    );
  }

  /** Strikes somebody out, unless they are in when it is their turn. */
  leave({ db }: Write, reportId: string, userId: string, isIn: () => boolean): Promise<unknown> {
    const theirs = and(eq(reportRoomMembers.reportId, reportId), eq(reportRoomMembers.userId, userId));
    return this.#inTurn(async () => (isIn() ? null : db.delete(reportRoomMembers).where(theirs)));
  }
}
