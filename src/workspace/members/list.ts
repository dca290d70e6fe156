import { and, asc, eq, gt } from "drizzle-orm";
import { READ, requireLevel, requireUser } from "../../access";
import { memberships, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { Database } from "../../platform/db/database";
import { notFound } from "../../platform/errors";
import { idKey } from "../fields";
import { placeOfOrganization } from "../places";
import { type MemberRow, memberColumns, presentMember } from "./present";

/** The statement behind the list of members; `only` narrows it to one person. */
export const selectMembers = (
  db: Database,
  organizationId: string,
  { after = null, only, limit }: { after?: string | null; only?: string | undefined; limit: number },
) =>
  db
    .select(memberColumns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(memberships.organizationId, organizationId),
        gt(memberships.userId, after ?? ""),
        only === undefined ? undefined : eq(memberships.userId, only),
      ),
    )
    .orderBy(asc(memberships.userId))
    .limit(limit);

/** Whose membership the caller may see: everybody's; a guest only their own. @throws DomainError 401, 404. */
function visibleTo(context: Context, organizationId: string): { only: string | undefined } {
  const caller = requireUser(context);
  requireLevel(context, placeOfOrganization(organizationId), "OrganizationView", "OrganizationView", READ);
  const role = caller.facts.memberships.find((m) => m.organizationId === organizationId)?.role;
  return { only: role === undefined || role === "guest" ? caller.userId : undefined };
}

/** The organization's members, in order of user id. */
export async function listMembers(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  const { only } = visibleTo(context, organizationId);
  const [after] = readCursor(cursor, idKey) ?? [null];
  const rows = await selectMembers(context.db, organizationId, { after, only, limit: limit + 1 });
  return toPage(rows, limit, (row) => [row.userId], presentMember);
}

/** One membership, whoever asks. @throws DomainError 404. */
export async function findMember({ db }: Context, organizationId: string, userId: string): Promise<MemberRow> {
  const [row] = await selectMembers(db, organizationId, { only: userId, limit: 1 });
  if (row === undefined) throw notFound();
  return row;
}

/** One member of the organization. @throws DomainError 401, 404. */
export async function readMember(context: Context, organizationId: string, userId: string): Promise<MemberRow> {
  const { only } = visibleTo(context, organizationId);
  if (only !== undefined && only !== userId) throw notFound();
  return findMember(context, organizationId, userId);
}
