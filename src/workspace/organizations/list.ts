import { and, asc, gt } from "drizzle-orm";
import { requireUser, scopeOf } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { inSet } from "../../platform/db/sets";
import { idKey } from "../fields";
import { presentOrganization } from "./present";

/** The organizations the caller is a member of and may see, in order of id. */
export async function listOrganizations(context: Context, { limit, cursor }: PageQuery) {
  const caller = requireUser(context);
  const { tenants } = scopeOf(caller.facts, "OrganizationView", "content", { includeShared: false });
  const [after] = readCursor(cursor, idKey) ?? [""];
  const rows = await context.db
    .select()
    .from(organizations)
    .where(and(inSet(organizations.id, tenants), gt(organizations.id, after)))
    .orderBy(asc(organizations.id))
    .limit(limit + 1);
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => presentOrganization(caller, row),
  );
}
