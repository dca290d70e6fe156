import { and, eq } from "drizzle-orm";
import { auditStatement, type GrantTarget } from "../../access";
import { grants } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { requireGrant } from "./list";
import { requireSharer, requireThing, thingStands } from "./thing";

/**
 * Ends a grant: those who may share the thing, and the person themself through a credential without a
 * ceiling. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteGrant(
  context: Context,
  target: GrantTarget,
  id: string,
  grantId: string,
  precondition: Precondition,
): Promise<void> {
  const thing = await requireThing(context, target, id);
  const row = await requireGrant(context, thing, grantId);
  const isOwn = row.userId === thing.caller.userId && thing.caller.facts.limits.ceiling === null;
  if (!isOwn) requireSharer(thing);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context);
  if (!isOwn) change.guard(thingStands(thing), forbidden());
  await change
    .add(context.db.delete(grants).where(and(eq(grants.id, row.id), eq(grants.revision, row.revision))))
    .guardChanged(staleRevision())
    .announce({ type: "access-changed", userIds: [row.userId] }, thing.place.tenantId)
    .add(
      auditStatement(context, {
        organizationId: thing.place.organizationId,
        action: "grant.deleted",
        subjectType: target,
        subjectId: id,
        details: { grantId: row.id, userId: row.userId, capabilities: row.capabilities },
      }),
    )
    .commit();
}
