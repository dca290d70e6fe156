import { asc, eq, lte, sql } from "drizzle-orm";
import { holds, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { DomainError, forbidden } from "../../platform/errors";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { queueTreeDeletion } from "../deletion/queue";
import { type TrashKind, trash } from "../tables";

/** Things whose window has ended that one slice hands on. */
const SLICE = 100;

/**
 * Refuses all but owners, through a credential that keeps Write: of the organization, or of the personal workspace.
 * @throws DomainError 401, 403.
 */
export function requireOwner(context: Context, tenant: { tenantId: string; organizationId: string | null }): void {
  const caller = requireUser(context);
  const { organizationId, tenantId } = tenant;
  const place = { tenantId, organizationId };
  const isOwner =
    organizationId === null
      ? tenantId === caller.userId
      : caller.facts.memberships.some((m) => m.organizationId === organizationId && m.role === "owner");
  if (isOwner && holds(caller, organizationId === null ? "ClusterView" : "OrganizationView", place, WRITE)) return;
  throw forbidden("Only an owner may purge. Delete it without `purge`: it is removed when its recovery window ends.");
}

/** Takes what this change deletes away at once, whether it was in the trash or not. */
export function purge({ db }: Context, change: Change, kind: TrashKind, of: { id: string; tenantId: string }): void {
  change.add(db.delete(trash).where(eq(trash.resourceId, of.id)));
  queueTreeDeletion(change, kind, of);
}

/** Hands what has been in the trash for its whole window to the job that takes it away. */
export const emptyTrash: JobHandler<"empty-trash"> = {
  async run(context) {
    const now = Date.now();
    const due = await context.db
      .select()
      .from(trash)
      .where(lte(trash.purgeAt, now))
      .orderBy(asc(trash.purgeAt))
      .limit(SLICE);
    if (due.length === 0) return done();
    const ids = due.map(({ id }) => id);
    const change = beginChange(context)
      .add(context.db.delete(trash).where(inSet(trash.id, ids)))
      .guard(sql`changes() = ${ids.length}`, new DomainError("conflict", "One of them was restored in the meantime."));
    for (const { kind, resourceId, tenantId } of due) queueTreeDeletion(change, kind, { id: resourceId, tenantId });
    return due.length < SLICE ? done(change) : again(null, { change });
  },
};
