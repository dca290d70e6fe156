import { z } from "@hono/zod-openapi";
import { eq, type SQL, sql } from "drizzle-orm";
import { readIn, requireAdmin } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { cursorOf, type PageQuery, readCursor } from "../../platform/db/cursor";
import { inSet, literal } from "../../platform/db/statements";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { nameMatcher } from "../../search";
import { entitlementsSchema, monthOf } from "../../workspace";
import { NAME_READS } from "../limits";

export const administeredOrganizationSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    entitlements: entitlementsSchema,
    memberCount: z.int(),
    locationCount: z.int(),
    cameraCount: z.int().openapi({ description: "Cameras that are not retired." }),
    createdAtUtc: utcSchema,
  })
  .openapi("AdministeredOrganization");

interface Found {
  id: string;
  name: string;
  revision: number;
  cameras: number;
  externalShares: number;
  documentStorageBytes: number;
  jobsPerMonth: number;
  maxRetentionDays: number;
  usedBytes: number | null;
  reservedBytes: number | null;
  jobsThisMonth: number | null;
  memberCount: number;
  locationCount: number;
  cameraCount: number;
  createdAt: number;
}

const present = (row: Found): z.infer<typeof administeredOrganizationSchema> => ({
  id: row.id,
  name: row.name,
  entitlements: {
    cameras: row.cameras === 1,
    externalShares: row.externalShares === 1,
    documentStorageBytes: row.documentStorageBytes,
    jobsPerMonth: row.jobsPerMonth,
    maxRetentionDays: row.maxRetentionDays,
    usage: {
      usedBytes: row.usedBytes ?? 0,
      reservedBytes: row.reservedBytes ?? 0,
      jobsThisMonth: row.jobsThisMonth ?? 0,
    },
    revision: row.revision,
  },
  memberCount: row.memberCount,
  locationCount: row.locationCount,
  cameraCount: row.cameraCount,
  createdAtUtc: toUtc(row.createdAt),
});

const nameKey = z.tuple([z.string(), idSchema]);
export type NameKey = z.infer<typeof nameKey>;

/** The key before all names. */
const FIRST: NameKey = ["", ""];

/** Whether a name comes after a key. Only the first condition lets SQLite begin at the key. */
const isAfter = ([name, id]: NameKey): SQL =>
  sql`name COLLATE NOCASE >= ${name} AND (name COLLATE NOCASE, id) > (${name}, ${id})`;

/** The ids of a page, and the key after which the next page begins: null after the last page. */
export interface Chosen {
  ids: string[];
  next: NameKey | null;
}

/** The organization with the id `search`, or one page of the organizations whose names contain it. */
async function choose(context: Context, search: string, limit: number, after: NameKey | null): Promise<Chosen> {
  const id = idSchema.safeParse(search);
  const [named] = id.success
    ? await context.workspace.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, id.data))
    : [];
  return named === undefined ? findByName(context, search, limit, after ?? FIRST) : { ids: [named.id], next: null };
}

/**
 * Reads names in their order and compares them here, because SQLite folds only ASCII letters. A page reads a bounded
 * number of names, so it can be short, and the next one continues after the last name that was read.
 */
export async function findByName(
  { workspace }: Context,
  search: string,
  limit: number,
  after: NameKey,
  reads: { names: number; ofStatement: number } = NAME_READS,
): Promise<Chosen> {
  const matches = nameMatcher(search);
  const ids: string[] = [];
  let at = after;
  for (let read = 0; read < reads.names; read += reads.ofStatement) {
    const rows = await workspace.all<{ id: string; name: string }>(sql`
      SELECT id AS "id", name AS "name" FROM organizations WHERE ${isAfter(at)}
      ORDER BY name COLLATE NOCASE, id LIMIT ${literal(reads.ofStatement)}`);
    for (const { id, name } of rows) {
      if (!matches(name)) continue;
      if (ids.length === limit) return { ids, next: at };
      ids.push(id);
      at = [name, id];
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < reads.ofStatement) return { ids, next: null };
    at = [last.name, last.id];
  }
  return { ids, next: at };
}

/** The rows of some organizations with their use, ordered by name. `chosen` is a query of rows of `organizations`. */
const readUse = ({ workspace, now }: Context, chosen: SQL): Promise<Found[]> =>
  workspace.all<Found>(sql`
    SELECT o.id AS "id", o.name AS "name", o.revision AS "revision", o.cameras AS "cameras",
      o.external_shares AS "externalShares", o.document_storage_bytes AS "documentStorageBytes",
      o.jobs_per_month AS "jobsPerMonth", o.max_retention_days AS "maxRetentionDays", o.created_at AS "createdAt",
      s.used_bytes AS "usedBytes", s.reserved_bytes AS "reservedBytes", u.jobs AS "jobsThisMonth",
      (SELECT count(*) FROM memberships m WHERE m.organization_id = o.id) AS "memberCount",
      (SELECT count(*) FROM locations l WHERE l.tenant_id = o.id AND l.deleted_at IS NULL) AS "locationCount",
      (SELECT count(*) FROM cameras c WHERE c.organization_id = o.id AND c.retired_at IS NULL) AS "cameraCount"
    FROM (${chosen}) o
    LEFT JOIN storage_usage s ON s.tenant_id = o.id
    LEFT JOIN job_usage u ON u.tenant_id = o.id AND u.month = ${monthOf(now)}
    ORDER BY o.name COLLATE NOCASE, o.id`);

/** A part of a list: its rows, and the key up to which everything was read. It is null if nothing is left. */
interface Part {
  rows: Found[];
  end: NameKey | null;
}

const keyOf = ({ name, id }: Pick<Found, "name" | "id">): NameKey => [name, id];

/** The next organizations of one database. */
async function readPart(
  there: Context,
  search: string | undefined,
  limit: number,
  after: NameKey | null,
): Promise<Part> {
  if (search !== undefined) {
    const { ids, next } = await choose(there, search, limit, after);
    return { rows: await readUse(there, sql`SELECT * FROM organizations WHERE ${inSet(sql`id`, ids)}`), end: next };
  }
  const rows = await readUse(
    there,
    sql`SELECT * FROM organizations WHERE ${isAfter(after ?? FIRST)}
      ORDER BY name COLLATE NOCASE, id LIMIT ${limit + 1}`,
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, end: rows.length > limit && last !== undefined ? keyOf(last) : null };
}

const encoder = new TextEncoder();
/** The bytes of a name as NOCASE of SQLite compares them: only ASCII letters are folded. */
const folded = (name: string): string =>
  encoder.encode(name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())).toHex();

/** The order of the list in JavaScript. */
function compare([a, aId]: NameKey, [b, bId]: NameKey): number {
  const [one, other] = [folded(a), folded(b)];
  if (one !== other) return one < other ? -1 : 1;
  return aId === bId ? 0 : aId < bId ? -1 : 1;
}

/** The page of the parts of all databases. It ends where the first of them was not read further. */
function pageOf(parts: readonly Part[], limit: number): Part {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const [end = null] = parts.flatMap((part) => (part.end === null ? [] : [part.end])).sort(compare);
  const rows = parts
    .flatMap((part) => part.rows)
    .filter((row) => end === null || compare(keyOf(row), end) <= 0)
    .sort((a, b) => compare(keyOf(a), keyOf(b)));
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { rows: rows.slice(0, limit), end: keyOf(last) } : { rows, end };
}

/**
 * Lists the organizations of all databases with their limits and their use, ordered by name. `search` is a part of the name, or an
 * id. @throws DomainError 401, 403.
 */
export async function listAllOrganizations(
  context: Context,
  { search, limit, cursor }: PageQuery & { search?: string | undefined },
) {
  requireAdmin(context);
  const after = readCursor(cursor, nameKey);
  const parts = await readIn(context, context.databases.names, (there) => readPart(there, search, limit, after));
  const { rows, end } = pageOf(parts, limit);
  return { items: rows.map(present), nextCursor: end && cursorOf(end) };
}
