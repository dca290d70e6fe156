import { z } from "@hono/zod-openapi";
import { and, asc, eq, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import {
  type Capability,
  idsInScope,
  isOutOfScope,
  type KeysetPage,
  pageAcross,
  type ResourcePathColumns,
  requireUser,
  type Scope,
  scopeOf,
  type UserCaller,
  WRITE,
} from "../../access";
import { people } from "../../access/tables";
import type { Context } from "../../platform/context";
import { pageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { idKey, organizationIdSchema } from "../fields";
import { tenantFilter, tenantQuery, within } from "../spatial";
import { ENTRY_KINDS, type EntryKind, TRASH_KINDS, TREE_KINDS, type TreeKind, trash, trashEntries } from "../tables";

export const trashQuery = pageQuery.extend({
  organizationId: tenantQuery,
  kind: z.enum(TRASH_KINDS).optional().openapi({ description: "Lists only resources of this kind." }),
});
type TrashQuery = z.infer<typeof trashQuery>;

export const trashedSchema = z
  .object({
    kind: z.enum(TRASH_KINDS),
    id: idSchema.openapi({ description: "The id of the deleted resource." }),
    name: z.string().openapi({ description: "The name of the resource. For a document: its path and file name." }),
    organizationId: organizationIdSchema,
    clusterId: idSchema.optional().openapi({ description: "A report template has no cluster." }),
    locationId: idSchema.nullable(),
    deletedBy: idSchema.nullable().openapi({ description: "Null if it was deleted before the service recorded this." }),
    deletedByName: z.string().nullable().openapi({ description: "Null if the person deleted their account." }),
    deletedAtUtc: utcSchema,
    purgeAtUtc: utcSchema.openapi({ description: "You can restore it until this time." }),
  })
  .openapi("TrashItem");

/** An entry with the name of the person who deleted its resource. */
interface Listed {
  id: string;
  row: Omit<typeof trash.$inferSelect, "kind" | "clusterId" | "documentId"> & {
    kind: TreeKind | EntryKind;
    clusterId: string | null;
  };
  deletedByName: string | null;
}

const present = ({ row, deletedByName }: Listed): z.infer<typeof trashedSchema> => ({
  kind: row.kind,
  id: row.resourceId,
  name: row.name,
  organizationId: row.organizationId,
  ...(row.clusterId !== null && { clusterId: row.clusterId }),
  locationId: row.locationId,
  deletedBy: row.deletedBy,
  deletedByName,
  deletedAtUtc: toUtc(row.deletedAt),
  purgeAtUtc: toUtc(row.purgeAt),
});

/** The capability that a caller needs to delete or restore a resource of each kind. */
const CAPABILITY_TO_DELETE = {
  document: "Documents",
  location: "LocationView",
  cluster: "ClusterView",
} as const satisfies Record<TreeKind, Capability>;

/** The columns that give the path of a resource of each kind. */
const PATH_COLUMNS: Readonly<Record<TreeKind | EntryKind, ResourcePathColumns>> = {
  cluster: { tenantId: trash.tenantId, clusterId: trash.clusterId },
  location: { tenantId: trash.tenantId, clusterId: trash.clusterId, locationId: trash.locationId },
  document: {
    tenantId: trash.tenantId,
    clusterId: trash.clusterId,
    locationId: trash.locationId,
    documentId: trash.documentId,
  },
  report: {
    tenantId: trashEntries.tenantId,
    clusterId: trashEntries.clusterId,
    locationId: trashEntries.locationId,
  },
  "report-template": { tenantId: trashEntries.tenantId },
};

/** The owners of the templates that the caller may change: the caller, and the organizations that they administer. */
function templateScope({ facts }: UserCaller): Scope {
  const seen = scopeOf(facts, "OrganizationView", "content", { level: WRITE, includeShared: false }).tenants;
  const own = scopeOf(facts, "Reports", "content", { level: WRITE, includeShared: false }).tenants;
  const administers = (id: string) =>
    facts.memberships.some((m) => m.organizationId === id && (m.role === "owner" || m.role === "admin"));
  const tenants = [...own.filter((id) => id === facts.userId), ...seen.filter(administers)];
  return { tenants, clusters: [], locations: [], documents: [] };
}

/** Where the caller may delete and restore resources of a kind. */
function scopeToDelete(caller: UserCaller, kind: TreeKind | EntryKind): Scope {
  if (kind === "report-template") return templateScope(caller);
  if (kind === "report") return scopeOf(caller.facts, "Reports", "content", { level: WRITE });
  return scopeOf(caller.facts, CAPABILITY_TO_DELETE[kind], kind, { level: WRITE });
}

/** Selects one page of one table: the entries that the caller may restore. Each kind uses its own index. */
async function selectIn(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  caller: UserCaller,
  table: typeof trash | typeof trashEntries,
  { organizationId, kind }: Pick<TrashQuery, "organizationId" | "kind">,
  page: KeysetPage,
): Promise<Listed[]> {
  const kinds = (table === trash ? TREE_KINDS : ENTRY_KINDS).filter((of) => kind === undefined || of === kind);
  const arms = kinds.flatMap((of): SQL[] => {
    const columns = PATH_COLUMNS[of];
    const scope = within(scopeToDelete(caller, of), caller, organizationId);
    if (isOutOfScope(scope, columns)) return [];
    const where = and(eq(table.kind, of), gt(table.purgeAt, now), tenantFilter(table, organizationId)) as SQL;
    return [sql`SELECT id FROM (${idsInScope(scope, { table, id: table.id, columns, where }, page)})`];
  });
  if (arms.length === 0) return [];
  const { kind: _, ...columns } = getTableColumns(table);
  return workspace
    .select({ id: table.id, row: { ...columns, kind: table.kind }, deletedByName: people.displayName })
    .from(table)
    .leftJoin(people, and(eq(people.id, table.deletedBy), isNull(people.deletedAt)))
    .where(sql`${table.id} IN (${sql.join(arms, sql` UNION ALL `)})`)
    .orderBy(asc(table.id))
    .limit(page.limit);
}

/** Lists the entries that the caller may restore, in the order of their deletion. @throws DomainError 401. */
export async function listTrash(context: Context, query: TrashQuery) {
  requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const page = { after, limit: query.limit + 1 };
  const rows = await pageAcross(context, page.limit, async (there) => {
    const caller = requireUser(there);
    const found = [
      await selectIn(there, caller, trash, query, page),
      await selectIn(there, caller, trashEntries, query, page),
    ].flat();
    return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, page.limit);
  });
  return toPage(rows, query.limit, ({ id }) => [id], present);
}
