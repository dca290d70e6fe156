import { z } from "@hono/zod-openapi";
import { forUsers, requireAdmin } from "../access";
import { backupStatusSchema, readBackupStatus } from "../backups";
import { type Context, ownDatabase } from "../platform/context";
import { MAX_DATABASE_BYTES, sizeOf } from "../platform/db/database";
import { createRouter, json, routeOf } from "../platform/http/router";
import { inEachDatabase } from "./databases";
import { administeredJobRoutes } from "./jobs/routes";
import { moveRoutes } from "./moves/routes";
import { administeredOrganizationRoutes } from "./organizations/routes";
import { readGrowth } from "./sizes";

/** The routes of platform administrators: the work of the service, and its organizations. */
export const administrationRoutes = createRouter();
administrationRoutes.route("/", administeredJobRoutes);
administrationRoutes.route("/", administeredOrganizationRoutes);
administrationRoutes.route("/", moveRoutes);

const databaseStatusSchema = z
  .object({
    name: z.string(),
    sizeBytes: z.int(),
    maxBytes: z.int().openapi({ description: "The largest size of a database. Nobody can raise it." }),
    growthBytesPerDay: z.int().nullable().openapi({
      description: "The mean of the last weeks. Null before the second day.",
    }),
    region: z.string().nullable(),
    hasWorkspaces: z.boolean().openapi({ description: "False for a database of the directory alone." }),
    isOpen: z.boolean().openapi({ description: "Whether the operator lets it take new organizations." }),
  })
  .openapi("DatabaseStatus");

const statusSchema = z
  .object({
    databases: z.array(databaseStatusSchema).openapi({ description: "The first database is the first." }),
    backups: backupStatusSchema.nullable().openapi({ description: "Null if the service takes no backups." }),
  })
  .openapi("ServiceStatus");

/** The state of each database of the service, and of its backups, as it is now. @throws DomainError 401, 403. */
async function readStatus(context: Context): Promise<z.infer<typeof statusSchema>> {
  requireAdmin(context);
  const { closed, regions } = context.databases;
  const growth = await readGrowth(context);
  const databases = await inEachDatabase(context, async (there, name) => ({
    name,
    sizeBytes: await sizeOf(ownDatabase(there)),
    maxBytes: MAX_DATABASE_BYTES,
    growthBytesPerDay: growth.get(name) ?? null,
    region: regions.get(name) ?? null,
    hasWorkspaces: context.databases.names.includes(name),
    isOpen: context.databases.names.includes(name) && !closed.has(name),
  }));
  return { databases, backups: await readBackupStatus(context) };
}

const route = routeOf({ ...forUsers, tags: ["Administration"], placed: "none" });

administrationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/admin/status",
    operationId: "getServiceStatus",
    summary: "Get the size of each database and the state of the backups",
    description: "Only for platform administrators.",
    responses: { 200: json(statusSchema, "The state of the service") },
  }),
  async (c) => c.json(await readStatus(c.get("context")), 200),
);
