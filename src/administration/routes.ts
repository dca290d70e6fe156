import { z } from "@hono/zod-openapi";
import { forUsers, readIn, requireAdmin } from "../access";
import { backupStatusSchema, readBackupStatus } from "../backups";
import { type Context, ownDatabase } from "../platform/context";
import { MAX_DATABASE_BYTES, rowsOf, runBatch, sizeOf } from "../platform/db/database";
import { createRouter, json, routeOf } from "../platform/http/router";
import { SECOND, toUtcOrNull, utcSchema } from "../platform/time";
import { countToPurge } from "../uploads";
import { inEachDatabase } from "./databases";
import { jobsStatusSchema, readJobKinds } from "./jobs";
import { administeredJobRoutes } from "./jobs/routes";
import { MAX_COUNTED_OBJECTS } from "./limits";
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
    daysUntilFull: z.int().nullable().openapi({
      description: "Days until it has its largest size, if it grows as in the last weeks. Null if it does not grow.",
    }),
    lastSweepAtUtc: utcSchema.nullable().openapi({
      description: "The end of the last sweep, which sends lost jobs again. Null if the sweeper has just started.",
    }),
  })
  .openapi("DatabaseStatus");

const purgeSchema = z
  .object({
    waiting: z.int().openapi({ description: "Objects of the bucket that nothing names any more." }),
    due: z.int().openapi({ description: "Objects of them that can be deleted now." }),
    oldestDueSeconds: z.int().nullable().openapi({ description: "Null if none is due." }),
    isExact: z.boolean().openapi({
      description: `False if more than ${MAX_COUNTED_OBJECTS} objects of a database wait: only so many are read.`,
    }),
  })
  .openapi("PurgeStatus");

const statusSchema = z
  .object({
    databases: z.array(databaseStatusSchema).openapi({ description: "The first database is the first." }),
    jobs: jobsStatusSchema,
    objectsToPurge: purgeSchema,
    backups: backupStatusSchema.nullable().openapi({ description: "Null if the service takes no backups." }),
  })
  .openapi("ServiceStatus");

/** Counts the objects of all databases that wait for their deletion. */
async function readPurge(context: Context): Promise<z.infer<typeof purgeSchema>> {
  const { now, databases } = context;
  const counts = await readIn(context, databases.names, async ({ workspace }) => {
    const [counted] = await runBatch(workspace, [countToPurge(now, MAX_COUNTED_OBJECTS + 1)]);
    return rowsOf<{ waiting: number; due: number; first: number | null }>(counted);
  });
  const all = counts.flat();
  const firsts = all.flatMap(({ first }) => (first !== null && first <= now ? [first] : []));
  return {
    waiting: all.reduce((total, { waiting }) => total + Math.min(waiting, MAX_COUNTED_OBJECTS), 0),
    due: all.reduce((total, { due }) => total + due, 0),
    oldestDueSeconds: firsts.length === 0 ? null : Math.floor((now - Math.min(...firsts)) / SECOND),
    isExact: all.every(({ waiting }) => waiting <= MAX_COUNTED_OBJECTS),
  };
}

/** Days until a database is full. Null without a growth. */
const daysUntilFull = (sizeBytes: number, growth: number | undefined): number | null =>
  growth === undefined || growth <= 0 ? null : Math.max(0, Math.floor((MAX_DATABASE_BYTES - sizeBytes) / growth));

/** The state of each database of the service, of its work and of its backups, as it is now. @throws DomainError 401, 403. */
async function readStatus(context: Context): Promise<z.infer<typeof statusSchema>> {
  requireAdmin(context);
  const { closed, regions } = context.databases;
  const growth = await readGrowth(context);
  const measured = await inEachDatabase(context, async (there, name) => ({
    name,
    sizeBytes: await sizeOf(ownDatabase(there)),
    lastSweepAt: await context.sweepers.lastSweepAt(name),
  }));
  const databases = measured.map(({ name, sizeBytes, lastSweepAt }) => ({
    name,
    sizeBytes,
    maxBytes: MAX_DATABASE_BYTES,
    growthBytesPerDay: growth.get(name) ?? null,
    region: regions.get(name) ?? null,
    hasWorkspaces: context.databases.names.includes(name),
    isOpen: context.databases.names.includes(name) && !closed.has(name),
    daysUntilFull: daysUntilFull(sizeBytes, growth.get(name)),
    lastSweepAtUtc: toUtcOrNull(lastSweepAt),
  }));
  const [jobs, objectsToPurge] = [await readJobKinds(context), await readPurge(context)];
  return { databases, jobs, objectsToPurge, backups: await readBackupStatus(context) };
}

const route = routeOf({ ...forUsers, tags: ["Administration"], placed: "none" });

administrationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/admin/status",
    operationId: "getServiceStatus",
    summary: "Get the state of the databases, the jobs and the backups",
    description: "Only for platform administrators.",
    responses: { 200: json(statusSchema, "The state of the service") },
  }),
  async (c) => c.json(await readStatus(c.get("context")), 200),
);
