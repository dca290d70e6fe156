import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idKey } from "../fields";
import { invitations } from "../tables";
import { presentInvitation } from "./present";

/** The organization's open invitations, in order of id; for owners and admins. */
export async function listInvitations(context: Context, organizationId: string, { limit, cursor }: PageQuery) {
  requireOrganizationAdmin(context, organizationId);
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await context.db
    .select()
    .from(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        gt(invitations.id, after),
        isNull(invitations.usedAt),
        gt(invitations.expiresAt, context.now),
      ),
    )
    .orderBy(asc(invitations.id))
    .limit(limit + 1);
  return toPage(rows, limit, (row) => [row.id], presentInvitation);
}
