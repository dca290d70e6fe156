import { z } from "@hono/zod-openapi";
import { and, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import { removeGrants } from "../access";
import { grants } from "../access/tables";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { isHere } from "../platform/db/residence";
import type { TableOf } from "../platform/db/sides";
import { inSet } from "../platform/db/statements";
import {
  complete,
  continueLater,
  type JobHandler,
  type RecurringHandler,
  workspaceOf,
} from "../platform/jobs/handlers";
import type { JobPayload } from "../platform/jobs/kinds";
import { HOUR } from "../platform/time";
import { SHARING_RETENTION_MS } from "./limits";
import { annotations, clusters, invitations, locations } from "./tables";

/** Rows that one slice of a deletion job removes. One batch can take this many. */
const ROWS_PER_SLICE = 200;

/** Time after which a deletion job that failed permanently starts again. */
const RETRY_DELAY_MS = HOUR;

/** A deleted resource, with its contents. */
export type DeletedTree = JobPayload<"delete-tree">;

/** Whether the tree has locations: it is a location or a cluster. */
export const hasLocations = ({ type }: Pick<DeletedTree, "type">): boolean => type === "location" || type === "cluster";

/** The dedupe key of a tree's deletion: at most one such job waits. */
const deletionKey = ({ id }: Pick<DeletedTree, "id">): string => `delete-tree:${id}`;

/** One step of the deletion of a tree: the rows of one kind. Each feature provides the steps for its own rows. */
export interface DeletionStep {
  /** Unique. The job's state contains it. */
  name: string;
  /**
   * Adds to `change` the deletion of at most `limit` rows of this kind, and of the rows that depend on them.
   * Returns the number of rows; 0 means that none is left.
   */
  deleteRows(context: Context, tree: DeletedTree, change: Change, limit: number): Promise<number>;
}

const stateSchema = z.object({ step: z.string() }).nullable();

/**
 * The job that removes a deleted tree step by step, contents before their container. `steps` come from the features
 * above and run first, in their order. Each slice commits with the job's new state, so a job that is killed continues
 * with the same step.
 */
export function deleteTree(steps: readonly DeletionStep[]): JobHandler<"delete-tree"> {
  const order = [...steps, annotationDeletion, locationDeletion, clusterDeletion];
  return {
    async run(context, job) {
      const { payload, state, progress } = job;
      const current = stateSchema.parse(state)?.step;
      const from = Math.max(
        0,
        order.findIndex((step) => step.name === current),
      );
      const change = beginChange(context, workspaceOf(job));
      for (const step of order.slice(from)) {
        const deleted = await step.deleteRows(context, payload, change, ROWS_PER_SLICE);
        if (deleted === 0) continue;
        const count = { done: progress.done + deleted, total: progress.total + deleted };
        return continueLater({ step: step.name }, { change, progress: count });
      }
      return complete();
    },
    /** Queues the same deletion again for later, so that no deleted row stays in the database. */
    failed(_context, { payload, tenantId }, change) {
      const again = { tenantId, dedupeKey: deletionKey(payload), delayMs: RETRY_DELAY_MS };
      change.job("delete-tree", payload, again);
    },
  };
}

/** Makes a step that finds its rows by a condition. `within` returns undefined for a tree that cannot contain such rows. */
function rowDeletion(
  name: string,
  table: TableOf<"workspace"> & { id: typeof annotations.id | typeof locations.id | typeof clusters.id },
  within: (tree: DeletedTree) => SQL | undefined,
): DeletionStep {
  return {
    name,
    async deleteRows({ workspace }: Context, tree, change, limit) {
      const condition = within(tree);
      if (condition === undefined) return 0;
      const rows = await workspace.select({ id: table.id }).from(table).where(condition).limit(limit);
      const ids = rows.map((row) => row.id);
      if (ids.length > 0) change.add(workspace.delete(table).where(inSet(table.id, ids)));
      return ids.length;
    },
  };
}

/** Condition: the row's location is deleted. So the job never removes restored contents. */
const inDeleted = (locationId: typeof annotations.locationId): SQL =>
  sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${locationId} AND ${locations.deletedAt} IS NOT NULL)`;

const annotationDeletion = rowDeletion("annotations", annotations, ({ type, id }) => {
  if (!hasLocations({ type })) return undefined;
  const held = type === "cluster" ? eq(annotations.clusterId, id) : eq(annotations.locationId, id);
  return and(held, inDeleted(annotations.locationId));
});

/** Triggers delete the grants of a deleted row. */
const locationDeletion = rowDeletion("locations", locations, ({ type, id }) => {
  if (type === "cluster") return and(eq(locations.clusterId, id), isNotNull(locations.deletedAt));
  return type === "location" ? and(eq(locations.id, id), isNotNull(locations.deletedAt)) : undefined;
});

const clusterDeletion = rowDeletion("clusters", clusters, ({ type, id }) =>
  type === "cluster" ? and(eq(clusters.id, id), isNotNull(clusters.deletedAt)) : undefined,
);

/** Queues the job that removes a deleted resource and its contents. */
export function queueTreeDeletion(
  change: Change,
  type: DeletedTree["type"],
  { id, tenantId }: { id: string; tenantId: string },
): void {
  change.job("delete-tree", { type, id }, { tenantId, dedupeKey: deletionKey({ id }) });
}

/** Maximum number of locations or of people in one event. */
const MAX_PER_EVENT = 500;

/** Announces that this change hides locations, so that live subscriptions to them are checked again. */
export function announceHidden(change: Change, locationIds: readonly string[], tenantId: string): void {
  for (let at = 0; at < locationIds.length; at += MAX_PER_EVENT)
    change.announce(
      { type: "location-access-changed", locationIds: locationIds.slice(at, at + MAX_PER_EVENT) },
      tenantId,
    );
}

/** Announces that this change takes access from people, so that pages that have joined no location close too. */
export function announceEnd(change: Change, userIds: readonly string[], tenantId: string): void {
  for (let at = 0; at < userIds.length; at += MAX_PER_EVENT)
    change.announce({ type: "access-changed", userIds: userIds.slice(at, at + MAX_PER_EVENT) }, tenantId);
}

/** Guests whom one deletion tells at once. Others learn it when their page reads again. */
const MAX_TOLD_GUESTS = 5_000;

/** The people who have a grant on one of these clusters or locations. @param targets a query of ids */
export async function loadGuests({ workspace }: Context, targets: SQL): Promise<string[]> {
  const held = sql`${grants.targetId} IN (${targets})`;
  const rows = await workspace.selectDistinct({ id: grants.userId }).from(grants).where(held).limit(MAX_TOLD_GUESTS);
  return rows.map((row) => row.id);
}

/** Number of rows of each kind that one slice deletes. */
const EXPIRED_ROWS_PER_SLICE = 500;

/** Deletes grants and invitations some time after their end. Only the end decides whether they still count. */
export const expireSharing: RecurringHandler<"expire-sharing"> = {
  hasWork: ({ now }) => {
    const before = now - SHARING_RETENTION_MS;
    return sql`EXISTS (SELECT 1 FROM ${grants} WHERE ${and(isNotNull(grants.expiresAt), lte(grants.expiresAt, before))})
      OR EXISTS (SELECT 1 FROM ${invitations} WHERE ${lte(invitations.expiresAt, before)})`;
  },
  async run(context) {
    const { workspace } = context;
    const before = Date.now() - SHARING_RETENTION_MS;
    const endedGrants = workspace
      .select({ id: grants.id, tenantId: grants.tenantId })
      .from(grants)
      .where(and(isNotNull(grants.expiresAt), lte(grants.expiresAt, before), isHere(grants.tenantId)))
      .limit(EXPIRED_ROWS_PER_SLICE);
    const endedInvitations = workspace
      .select({ id: invitations.id, organizationId: invitations.organizationId })
      .from(invitations)
      .where(and(lte(invitations.expiresAt, before), isHere(invitations.organizationId)))
      .limit(EXPIRED_ROWS_PER_SLICE);
    const [lateGrants, lateInvitations] = await workspace.batch([endedGrants, endedInvitations]);
    const change = beginChange(context, [
      ...lateGrants.map(({ tenantId }) => tenantId),
      ...lateInvitations.map(({ organizationId }) => organizationId),
    ]).add(
      removeGrants(context, idsOf(lateGrants)),
      workspace.delete(invitations).where(inSet(invitations.id, idsOf(lateInvitations))),
    );
    const isFull = lateGrants.length === EXPIRED_ROWS_PER_SLICE || lateInvitations.length === EXPIRED_ROWS_PER_SLICE;
    return isFull ? continueLater(null, { change }) : complete(change);
  },
};

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
