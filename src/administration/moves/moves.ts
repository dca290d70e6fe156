import { z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import {
  askToUndo,
  auditStatement,
  beginMove,
  latestMove,
  type Move,
  placeOf,
  requireAdmin,
  workspacesOf,
} from "../../access";
import { MOVE_STATES } from "../../access/tables";
import { type Context, inDatabase } from "../../platform/context";
import { MAX_DATABASE_BYTES, sizeOf } from "../../platform/db/database";
import { residenceOf } from "../../platform/db/residence";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema, newId, numberOf } from "../../platform/ids";
import { jobs } from "../../platform/jobs/tables";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { countWorkspaces, secondsOf } from "./estimate";

/** The share of its largest size from which a database takes no workspace. */
const FULL = 0.9;

export const moveRequestSchema = z
  .strictObject({ database: z.string().max(32).openapi({ description: "The name of the database to move to." }) })
  .openapi("MoveOrganizationRequest", { example: { database: "second" } });

export const moveSchema = z
  .object({
    id: idSchema,
    from: z.string(),
    to: z.string(),
    state: z.enum(MOVE_STATES).openapi({
      description:
        "`copying`: closed to changes, and it can be undone. `undoing`: open again; the copies are removed. `switched`: in the new database, and still closed for some seconds. `opened`: open, and the rows of the former database are removed. `finished` or `undone`: it has ended.",
    }),
    progress: z.object({ done: z.int(), total: z.int() }).openapi({ description: "Rows and passages." }),
    reason: z.string().nullable().openapi({ description: "Why it was undone." }),
    beganAtUtc: utcSchema,
    closedAtUtc: utcSchema.nullable(),
    openedAtUtc: utcSchema.nullable(),
    endedAtUtc: utcSchema.nullable(),
  })
  .openapi("DatabaseMove");

export const placementSchema = z
  .object({
    organizationId: idSchema,
    database: z.string().openapi({ description: "The database that has it." }),
    rows: z.int().openapi({ description: "The rows that a move copies." }),
    passages: z.int().openapi({ description: "The passages of texts that a move indexes again." }),
    objects: z.int().openapi({ description: "The files and pictures that a move to another bucket compares." }),
    estimatedSeconds: z.int().openapi({
      description:
        "For about this time a move closes the organization to changes. If another database has another bucket, the time for the comparison of the buckets is part of it.",
    }),
    move: moveSchema.nullable().openapi({ description: "Its latest move." }),
  })
  .openapi("OrganizationPlacement");

/** The job of a move keeps its progress, as long as it runs. */
async function presentMove({ directory }: Context, move: Move): Promise<z.infer<typeof moveSchema>> {
  const [job] = await directory
    .select({ done: jobs.progressDone, total: jobs.progressTotal })
    .from(jobs)
    .where(eq(jobs.id, move.id));
  return {
    id: move.id,
    from: move.source,
    to: move.target,
    state: move.state,
    progress: job ?? { done: 0, total: 0 },
    reason: move.reason,
    beganAtUtc: toUtc(move.createdAt),
    closedAtUtc: toUtcOrNull(move.closedAt),
    openedAtUtc: toUtcOrNull(move.openedAt),
    endedAtUtc: toUtcOrNull(move.finishedAt),
  };
}

async function requirePlace(context: Context, organizationId: string) {
  requireAdmin(context);
  const place = await placeOf(context, organizationId);
  if (place !== undefined) return place;
  // A workspace from a time with one database.
  const first = context.databases.names[0] ?? "";
  if ((await residenceOf(inDatabase(context, first), organizationId)) === null) throw notFound();
  return { id: organizationId, number: numberOf(organizationId), database: first };
}

/** Where an organization is, what a move would cost, and its latest move. @throws DomainError 401, 403, 404. */
export async function readPlacement(
  context: Context,
  organizationId: string,
): Promise<z.infer<typeof placementSchema>> {
  const { number, database } = await requirePlace(context, organizationId);
  const there = inDatabase(context, database);
  const ids = new Set([organizationId, ...(await workspacesOf(context, number, database))]);
  const contents = await countWorkspaces(there, [...ids]);
  const move = await latestMove(context, number);
  return {
    organizationId,
    database,
    ...contents,
    estimatedSeconds: secondsOf(
      contents,
      context.databases.names.some((name) => context.stores.between(database, name) !== null),
    ),
    move: move === undefined ? null : await presentMove(context, move),
  };
}

/** Begins to move an organization to another database. @throws DomainError 401, 403, 404, 409, 422. */
export async function startMove(
  context: Context,
  organizationId: string,
  { database: target }: z.infer<typeof moveRequestSchema>,
): Promise<z.infer<typeof moveSchema>> {
  const { number, database: source } = await requirePlace(context, organizationId);
  const { databases } = context;
  if (!databases.names.includes(target))
    throw new DomainError("rule-violated", `No database has the name "${target}".`);
  if (target === source) throw new DomainError("conflict", "The organization is in this database.");
  if ((await sizeOf(databases.open(target))) >= FULL * MAX_DATABASE_BYTES)
    throw new DomainError("rule-violated", "The database is nine tenths full.");
  const id = newId();
  const { userId } = requireAdmin(context);
  await beginMove(context, { id, number, workspaceId: organizationId, source, target, requestedBy: userId })
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "organization.move-begun",
        subjectType: "organization",
        subjectId: organizationId,
        details: { from: source, to: target },
      }),
    )
    .commit();
  const move = await latestMove(context, number);
  if (move === undefined) throw new Error("a move was not written");
  return presentMove(context, move);
}

/** Undoes the move of an organization that has not switched. @throws DomainError 401, 403, 404, 409. */
export async function undoMove(context: Context, organizationId: string): Promise<z.infer<typeof moveSchema>> {
  const { number } = await requirePlace(context, organizationId);
  const move = await latestMove(context, number);
  if (move === undefined) throw notFound();
  await askToUndo(context, move.id, "An administrator has undone it.")
    .add(
      auditStatement(context, {
        organizationId: null,
        action: "organization.move-undone",
        subjectType: "organization",
        subjectId: organizationId,
      }),
    )
    .commit();
  return presentMove(context, { ...move, state: "undoing" });
}
