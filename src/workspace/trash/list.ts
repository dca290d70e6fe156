import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import {
  type Capability,
  idsInScope,
  isOutOfScope,
  type KeysetPage,
  requireUser,
  scopeOf,
  type UserCaller,
  WRITE,
} from "../../access";
import type { Context } from "../../platform/context";
import { pageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { idKey, organizationIdSchema } from "../fields";
import { tenantFilter, tenantQuery, within } from "../spatial";
import { TRASH_KINDS, type TrashKind, trash } from "../tables";

export const trashQuery = pageQuery.extend({
  organizationId: tenantQuery,
  kind: z.enum(TRASH_KINDS).optional().openapi({ description: "Only things of this kind." }),
});
type TrashQuery = z.infer<typeof trashQuery>;

export const trashedSchema = z
  .object({
    kind: z.enum(TRASH_KINDS),
    id: idSchema.openapi({ description: "Of the thing itself." }),
    name: z.string().openapi({ description: "Of a document its path and file name." }),
    organizationId: organizationIdSchema,
    clusterId: idSchema,
    locationId: idSchema.nullable(),
    deletedAtUtc: utcSchema,
    purgeAtUtc: utcSchema.openapi({ description: "Until then it can be restored." }),
  })
  .openapi("TrashedThing");

const present = (row: typeof trash.$inferSelect): z.infer<typeof trashedSchema> => ({
  kind: row.kind,
  id: row.resourceId,
  name: row.name,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.locationId,
  deletedAtUtc: toUtc(row.deletedAt),
  purgeAtUtc: toUtc(row.purgeAt),
});

/** What deletes a thing of each kind, and restores it. */
const DELETES: Readonly<Record<TrashKind, Capability>> = {
  document: "Documents",
  location: "LocationView",
  cluster: "ClusterView",
};

/** Which columns say where a thing of each kind is. */
const PLACES = {
  cluster: { tenantId: trash.tenantId, clusterId: trash.clusterId },
  location: { tenantId: trash.tenantId, clusterId: trash.clusterId, locationId: trash.locationId },
  document: {
    tenantId: trash.tenantId,
    clusterId: trash.clusterId,
    locationId: trash.locationId,
    documentId: trash.documentId,
  },
} as const;

/** The rows of a page of the trash: of each kind what the caller may delete, each by its own index. */
async function selectTrash(
  { db, now }: Pick<Context, "db" | "now">,
  caller: UserCaller,
  { organizationId, kind }: Pick<TrashQuery, "organizationId" | "kind">,
  page: KeysetPage,
): Promise<(typeof trash.$inferSelect)[]> {
  const arms = (kind === undefined ? TRASH_KINDS : [kind]).flatMap((of): SQL[] => {
    const columns = PLACES[of];
    const scope = within(scopeOf(caller.facts, DELETES[of], of, { level: WRITE }), caller, organizationId);
    if (isOutOfScope(scope, columns)) return [];
    const where = and(eq(trash.kind, of), gt(trash.purgeAt, now), tenantFilter(trash, organizationId)) as SQL;
    return [sql`SELECT id FROM (${idsInScope(scope, { table: trash, id: trash.id, columns, where }, page)})`];
  });
  if (arms.length === 0) return [];
  return db
    .select()
    .from(trash)
    .where(sql`${trash.id} IN (${sql.join(arms, sql` UNION ALL `)})`)
    .orderBy(asc(trash.id))
    .limit(page.limit);
}

/** What the caller may restore, in the order it was deleted. @throws DomainError 401. */
export async function listTrash(context: Context, query: TrashQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await selectTrash(context, caller, query, { after, limit: query.limit + 1 });
  return toPage(rows, query.limit, (row) => [row.id], present);
}
