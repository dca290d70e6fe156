import { and, eq } from "drizzle-orm";
import { markVerified, requireUser } from "../../access";
import { memberships, users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden, notFound } from "../../platform/errors";
import { requireUncut } from "../uncut";
import { findOpenInvitation, redeemInvitation } from "./redeem";

/** Accepts an invitation with an account of the address it was made for; the mailed link verifies that address. @throws DomainError 401, 403, 410. */
export async function acceptInvitation(context: Context, token: string) {
  const caller = requireUser(context);
  requireUncut(caller);
  const { db } = context;
  const { row, provesAddress } = await findOpenInvitation(context, token);
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, caller.userId));
  if (user?.email !== row.email)
    throw forbidden("This invitation is for another address. Sign in with the account of that address.");
  const change = beginChange(context);
  redeemInvitation(context, change, row, caller.userId);
  if (provesAddress) change.add(markVerified(context, caller.userId));
  await change.commit();
  const { organizationId } = row;
  const [membership] = await db
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, caller.userId)));
  if (membership === undefined) throw notFound();
  return { organizationId, role: membership.role };
}
