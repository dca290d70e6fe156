import { and, eq } from "drizzle-orm";
import { auditStatement, type CapabilityMap, type GrantTarget } from "../../access";
import { grants } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { forbidden } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { toUtcOrNull } from "../../platform/time";
import { requireFuture } from "./create";
import { requireGrant } from "./list";
import { type GrantRow, presentGrant } from "./present";
import { requireGivable, requireSharer, requireThing, thingStands } from "./thing";

export interface GrantChange {
  capabilities?: CapabilityMap | undefined;
  /** Milliseconds since the epoch; null for no end. */
  expiresAtUtc?: number | null | undefined;
}

/** Changes what a grant gives or how long. @throws DomainError 401, 403, 404, 409, 412, 422. */
export async function updateGrant(
  context: Context,
  target: GrantTarget,
  id: string,
  grantId: string,
  given: GrantChange,
  precondition: Precondition,
) {
  const thing = await requireThing(context, target, id);
  const row = await requireGrant(context, thing, grantId);
  requireSharer(thing);
  checkPrecondition(precondition, row.revision);
  const next = {
    capabilities: requireGivable(thing, given.capabilities ?? row.capabilities),
    expiresAt: given.expiresAtUtc === undefined ? row.expiresAt : given.expiresAtUtc,
    revision: row.revision + 1,
  };
  requireFuture(context, next.expiresAt);
  await beginChange(context)
    .guard(thingStands(thing), forbidden())
    .add(
      context.db
        .update(grants)
        .set(next)
        .where(and(eq(grants.id, row.id), eq(grants.revision, row.revision))),
    )
    .guardChanged(staleRevision())
    .announce({ type: "access-changed", userIds: [row.userId] }, thing.place.tenantId)
    .add(
      auditStatement(context, {
        organizationId: thing.place.organizationId,
        action: "grant.changed",
        subjectType: target,
        subjectId: id,
        details: { grantId: row.id, userId: row.userId, from: described(row), to: described(next) },
      }),
    )
    .commit();
  return presentGrant({ ...row, ...next });
}

const described = ({ capabilities, expiresAt }: Pick<GrantRow, "capabilities" | "expiresAt">) => ({
  capabilities,
  expiresAtUtc: toUtcOrNull(expiresAt),
});
