import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { requireAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { entitlementsSchema, monthOf } from "../../workspace";

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

/** A text as a part of a LIKE pattern with the escape character `\`. */
const literally = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/**
 * Lists the organizations with their limits and their use, ordered by name. `search` is a part of the name, or an id.
 * @throws DomainError 401, 403.
 */
export async function listAllOrganizations(
  context: Context,
  { search, limit, cursor }: PageQuery & { search?: string | undefined },
) {
  requireAdmin(context);
  const after = readCursor(cursor, nameKey);
  const conditions = [
    ...(search === undefined || search === ""
      ? []
      : [sql`(name LIKE ${`%${literally(search)}%`} ESCAPE '\\' OR id = ${search})`]),
    ...(after === null ? [] : [sql`(name COLLATE NOCASE, id) > (${after[0]}, ${after[1]})`]),
  ];
  const rows = await context.workspace.all<Found>(sql`
    SELECT o.id AS "id", o.name AS "name", o.revision AS "revision", o.cameras AS "cameras",
      o.external_shares AS "externalShares", o.document_storage_bytes AS "documentStorageBytes",
      o.jobs_per_month AS "jobsPerMonth", o.max_retention_days AS "maxRetentionDays", o.created_at AS "createdAt",
      s.used_bytes AS "usedBytes", s.reserved_bytes AS "reservedBytes", u.jobs AS "jobsThisMonth",
      (SELECT count(*) FROM memberships m WHERE m.organization_id = o.id) AS "memberCount",
      (SELECT count(*) FROM locations l WHERE l.tenant_id = o.id AND l.deleted_at IS NULL) AS "locationCount",
      (SELECT count(*) FROM cameras c WHERE c.organization_id = o.id AND c.retired_at IS NULL) AS "cameraCount"
    FROM (SELECT * FROM organizations WHERE ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `)}
      ORDER BY name COLLATE NOCASE, id LIMIT ${limit + 1}) o
    LEFT JOIN storage_usage s ON s.tenant_id = o.id
    LEFT JOIN job_usage u ON u.tenant_id = o.id AND u.month = ${monthOf(context.now)}
    ORDER BY o.name COLLATE NOCASE, o.id`);
  return toPage(rows, limit, (row) => [row.name, row.id], present);
}
