import { and, asc, eq, gt, type SQL } from "drizzle-orm";
import type { GrantTarget } from "../../access";
import { grants, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Database } from "../../platform/db/database";
import { notFound } from "../../platform/errors";
import { idKey } from "../fields";
import { type GrantRow, grantColumns, presentGrant } from "./present";
import { requireThing, type Thing } from "./thing";

/** The statement behind the list of a thing's grants, in order of the person's id. */
export const selectGrants = (db: Database, thingId: string, where: SQL | undefined, limit: number) =>
  db
    .select(grantColumns)
    .from(grants)
    .innerJoin(users, eq(users.id, grants.userId))
    .where(and(eq(grants.targetId, thingId), where))
    .orderBy(asc(grants.userId))
    .limit(limit);

/** Those who may share a thing see all its grants; anybody else who sees it, their own. */
const visibleIn = ({ isSharer, caller }: Thing): SQL | undefined =>
  isSharer ? undefined : eq(grants.userId, caller.userId);

/** With whom a thing is shared, expired grants too. @throws DomainError 401, 404. */
export async function listGrants(context: Context, target: GrantTarget, id: string, { limit, cursor }: PageQuery) {
  const thing = await requireThing(context, target, id);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await selectGrants(context.db, id, and(gt(grants.userId, after), visibleIn(thing)), limit + 1);
  return toPage(rows, limit, (row) => [row.userId], presentGrant);
}

/** One grant of a thing that the caller may see. @throws DomainError 404. */
export async function requireGrant({ db }: Context, thing: Thing, grantId: string): Promise<GrantRow> {
  const [row] = await selectGrants(db, thing.id, and(eq(grants.id, grantId), visibleIn(thing)), 1);
  if (row === undefined) throw notFound();
  return row;
}

/** One grant of a thing: for those who may share it, and for its own holder. @throws DomainError 401, 404. */
export async function readGrant(context: Context, target: GrantTarget, id: string, grantId: string) {
  return presentGrant(await requireGrant(context, await requireThing(context, target, id), grantId));
}
