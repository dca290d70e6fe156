import { sql } from "drizzle-orm";
import { grants } from "../../src/access/tables";
import { inDatabase } from "../../src/platform/context";
import { newId, newIdIn } from "../../src/platform/ids";
import { indexGuests } from "../../src/search";
import { contextOf, systemContext } from "../support/jobs";

const databaseOf = async (organizationId: string) => (await contextOf(organizationId)).workspace;

/** More grants than are looked up one by one. Their targets do not exist, so only their number counts. */
export async function giveManyGrants(organizationId: string, userId: string): Promise<void> {
  const rows = Array.from({ length: 40 }, () => ({
    id: newIdIn(organizationId),
    userId,
    target: "location" as const,
    targetId: newId(),
    tenantId: organizationId,
    organizationId,
    capabilities: { Documents: "Read" as const },
    createdAt: Date.now(),
  }));
  for (let at = 0; at < rows.length; at += 8)
    await (await databaseOf(organizationId)).insert(grants).values(rows.slice(at, at + 8));
}

/** Builds the indexes of all guests by the slices of the job, in each database, without the queue. */
export async function buildGuests(): Promise<void> {
  for (const name of systemContext().databases.names) await buildIn(name);
}

async function buildIn(database: string): Promise<void> {
  const job = { id: newId(), kind: "index-guests" as const, tenantId: null, payload: {}, attempts: 1 };
  for (let state: unknown = null; ; ) {
    // Each slice is an invocation.
    const context = inDatabase(systemContext(), database);
    const progress = { done: 0, total: 0 };
    const outcome = await indexGuests.run(context, { ...job, state, progress, requestedBy: null });
    await outcome.change?.commit();
    if (outcome.kind === "complete") return;
    state = outcome.state;
  }
}

/** Whether the index of a guest is used. */
export async function isIndexed(organizationId: string): Promise<boolean> {
  const found = await (await databaseOf(organizationId)).all(
    sql`SELECT 1 FROM search_guests WHERE organization_id = ${organizationId} AND current = 1`,
  );
  return found.length > 0;
}
