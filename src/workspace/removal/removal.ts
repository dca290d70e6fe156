import { z } from "@hono/zod-openapi";
import { and, eq, getTableName, isNull, sql } from "drizzle-orm";
import { completeReceipt, insertReceipt, pruneAllAfter, removeOrganization } from "../../access";
import { memberships, organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";
import { asStatement, deleteStatement, type TakenRow } from "../../platform/db/carry/statements";
import { beginChange, beginDirectoryChange, type Change } from "../../platform/db/change";
import { removeResident, residenceOf, workspaceMoves } from "../../platform/db/residence";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, countQueries, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { HOUR, MINUTE } from "../../platform/time";
import { expireTenantUploads, removeTenantUploads, TRANSFER_GRACE_MS } from "../../uploads";
import { storedObjects, uploads } from "../../uploads/tables";
import { queueMails } from "../owner-mails";
import { countContents, readFirst } from "./contents";

/** Tables whose rows belong to people, or end with the last statement. */
const KEPT = new Set(["people", "search_impressions", "search_interactions", "organizations", "uploads"]);

/** Time after which a removal that failed permanently starts again. */
const RETRY_DELAY_MS = HOUR;

const stateSchema = z.strictObject({ table: z.int() }).nullable();

/** The dedupe key of a removal: at most one such job waits. */
const removalKey = (workspaceId: string): string => `remove-workspace:${workspaceId}`;

/** Queues the removal of a workspace with this change. Nothing restores the workspace afterwards. */
export function queueRemoval(change: Change, workspaceId: string): void {
  change.job("remove-workspace", { workspaceId }, { dedupeKey: removalKey(workspaceId) });
}

/** The keys of the objects of a row. A backup leaves the objects of exports out, and a removal does not. */
const keysOf = ({ name }: Carried, { identity, objects }: TakenRow): string[] =>
  JSON.parse((name === getTableName(storedObjects) ? identity : objects) ?? "[]") as string[];

/** Writes the receipt with what there is now, once, and ends the open uploads. */
async function begin(context: Context, tables: readonly Carried[], workspaceId: string): Promise<Outcome> {
  const { workspace, now } = context;
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, workspaceId));
  const owners = await workspace
    .select({ id: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.organizationId, workspaceId), eq(memberships.role, "owner")));
  const contents = await countContents(context, tables, workspaceId);
  const receipt = {
    workspaceId,
    name: organization?.name ?? null,
    deletedAt: organization?.deletedAt ?? now,
    deletedBy: organization?.deletedBy ?? null,
    startedAt: now,
    contents,
  };
  const readers = owners.map(({ id }) => id);
  await beginDirectoryChange(context)
    .add(...insertReceipt(context, receipt, readers))
    .commit();
  const change = beginChange(context, workspaceId);
  expireTenantUploads(context, change, workspaceId);
  return continueLater({ table: 0 }, { change });
}

/**
 * The job that removes a workspace to its last row and object: an organization, or the personal workspace of a deleted
 * account. It goes through the tables in the reverse of the order in which they are written, a slice of rows after the
 * other, the objects of a row before the row. A killed slice is repeated. `tables` are the rows of a workspace.
 */
export function removeWorkspace(tables: readonly Carried[]): JobHandler<"remove-workspace"> {
  const order = [...tables].reverse().filter(({ name }) => !KEPT.has(name));

  /** Removes some rows of a table. @returns whether it had some */
  async function removeSlice(context: Context, table: Carried, workspaceId: string): Promise<boolean> {
    const [rows = []] = await readFirst(context, [table], workspaceId);
    if (rows.length === 0) return false;
    await context.objects.remove(rows.flatMap((row) => keysOf(table, row)));
    const identities = rows.map(({ identity }) => identity);
    await beginChange(context, workspaceId)
      .add(asStatement(deleteStatement(table, identities)))
      .commit();
    return true;
  }

  return {
    async run(context, { payload: { workspaceId }, state, progress }) {
      const at = stateSchema.parse(state);
      const residence = await residenceOf(context, workspaceId);
      if (residence === null) return finish(context, workspaceId);
      // Its objects stay while another database has, or gets, its rows.
      if (residence !== "here") throw workspaceMoves();
      if (at === null) return begin(context, tables, workspaceId);
      const isFull = countQueries(context);
      let { done } = progress;
      for (let n = at.table; n < order.length; ) {
        const table = order[n];
        if (table === undefined || !(await removeSlice(context, table, workspaceId))) n++;
        else done++;
        if (isFull()) return continueLater({ table: n }, { progress: { done, total: progress.total } });
      }
      return end(context, order, workspaceId);
    },
    /** Queues the same removal again for later, so that no row of a deleted workspace stays. */
    failed(_context, { payload }, change) {
      change.job("remove-workspace", payload, {
        dedupeKey: removalKey(payload.workspaceId),
        delayMs: RETRY_DELAY_MS,
      });
    },
  };
}

/** Removes what is left when all tables are empty. It waits for uploads whose addresses still take bytes. */
async function end(context: Context, order: readonly Carried[], workspaceId: string): Promise<Outcome> {
  const { workspace } = context;
  const now = Date.now();
  const left = await readFirst(context, order, workspaceId);
  // The counts of storage are written again by the triggers of other tables.
  if (left.some((rows) => rows.length > 0)) return continueLater({ table: 0 });
  const unclean = and(eq(uploads.tenantId, workspaceId), isNull(uploads.cleanedAt));
  const [open] = await workspace
    .select({ until: sql<number | null>`max(${uploads.urlExpiresAt})` })
    .from(uploads)
    .where(unclean);
  if (open?.until != null) {
    const delayMs = Math.max(open.until + TRANSFER_GRACE_MS - now, 0) + MINUTE;
    return continueLater({ table: 0 }, { delayMs });
  }
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, workspaceId));
  const change = beginChange(context, workspaceId)
    .guard(
      sql`NOT EXISTS (SELECT 1 FROM ${storedObjects} WHERE ${storedObjects.tenantId} = ${workspaceId})
        AND NOT EXISTS (SELECT 1 FROM ${uploads} WHERE ${unclean})`,
      new DomainError("conflict", "Files arrived in the meantime."),
    )
    .add(...removeTenantUploads(context, workspaceId));
  pruneAllAfter(context, change, workspaceId);
  if (organization === undefined) change.add(removeResident(workspaceId));
  else {
    change
      .add(...removeOrganization(context, organization))
      .announce({ type: "organization-removed", organizationId: workspaceId });
    queueMails(context, change, { organizationId: workspaceId, about: "removed" });
  }
  await change.commit();
  return finish(context, workspaceId);
}

/** Completes the receipt. */
async function finish(context: Context, workspaceId: string): Promise<Outcome> {
  await beginDirectoryChange(context).add(completeReceipt(context, workspaceId)).commit();
  return complete();
}
