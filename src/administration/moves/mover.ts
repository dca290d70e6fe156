import { z } from "@hono/zod-openapi";
import { type Move, othersCame, ROUTE_MS, switchMove, takeMove, turnMove, workspacesOf } from "../../access";
import { movedMarks } from "../../platform/carry";
import type { Context } from "../../platform/context";
import { randomHex } from "../../platform/crypto/bytes";
import type { Carried } from "../../platform/db/carry/declare";
import { isMoving } from "../../platform/db/residence";
import {
  complete,
  continueLater,
  countQueries,
  type Job,
  JobFailure,
  type JobHandler,
  type Outcome,
} from "../../platform/jobs/handlers";
import { describeFailure, log } from "../../platform/log";
import { IsolateBusy } from "../../platform/pace";
import { MINUTE, SECOND } from "../../platform/time";
import { FIRST_PLACE, indexPlaceSchema, indexWorkspace } from "../../search";
import {
  compareWorkspaces,
  copyPlaceSchema,
  copyTable,
  copyWorkspaces,
  cursorSchema,
  inOrder,
  NO_NUMBERS,
} from "./copy";
import { countWorkspaces } from "./estimate";
import {
  asMover,
  close,
  endHold,
  holdBoth,
  holdOne,
  isDeleted,
  openTarget,
  reopenSource,
  type Sides,
  sidesOf,
  statesIn,
} from "./hold";
import { type Numbers, numbersSchema } from "./numbers";
import { removalPlaceSchema, removeRows } from "./remove";

/** Tries of a slice, after which a move that has not switched is undone. */
const MAX_TRIES = 6;
/** Pause after a failure of a move that has switched: it must be finished. */
const FINISH_RETRY_MS = MINUTE;
/** Time between the switch and the first change in the target, milliseconds: longer than routes are remembered, also by a clock that is slower. */
const ROUTES_END_MS = ROUTE_MS + SECOND;
/** Time between the opening of the target and the removal of the rows of the source, milliseconds: a request that began before reads them. */
const REMOVE_AFTER_MS = 15 * MINUTE;

/** What a slice continues. `ids`: the workspaces that move; `count`: those that the directory has under their number. */
const stateSchema = z
  .strictObject({
    ids: z.array(z.string()),
    count: z.int(),
    numbers: numbersSchema,
    at: z.discriminatedUnion("step", [
      z.strictObject({ step: z.literal("marks"), after: cursorSchema }),
      z.strictObject({ step: z.literal("rows"), place: copyPlaceSchema }),
      z.strictObject({ step: z.literal("new-marks"), after: cursorSchema }),
      z.strictObject({ step: z.literal("compare") }),
      z.strictObject({ step: z.literal("index"), workspace: z.int(), place: indexPlaceSchema }),
      z.strictObject({ step: z.literal("switch") }),
    ]),
  })
  .nullable();
type State = NonNullable<z.infer<typeof stateSchema>>;
type At = State["at"];
const removalSchema = removalPlaceSchema.nullable();

const FIRST_REMOVAL = { workspace: 0, table: 0 };

/** A slice of a move. */
interface Slice {
  context: Context;
  job: Job<"move-workspace">;
  move: Move;
  sides: Sides;
  isFull: () => boolean;
}

/**
 * The job that moves workspaces to another database. It is a job of the directory, whose row of the move decides: before the switch the
 * move can be undone, and afterwards it is finished. `tables` are the rows that move. Each slice can be killed at any statement, and
 * can run twice.
 */
export function moveWorkspace(tables: readonly Carried[]): JobHandler<"move-workspace"> {
  const order = inOrder(tables);

  async function copy(slice: Slice): Promise<Outcome> {
    const { context, job, sides, isFull } = slice;
    const begun = stateSchema.parse(job.state) ?? (await begin(slice));
    const { ids } = begun;
    let { move } = slice;
    let { numbers } = begun;
    await holdBoth(context, sides, move, ids);
    const total = job.progress.total === 0 ? await totalOf(sides, ids) : job.progress.total;
    let { done } = job.progress;
    for (let at = begun.at; ; ) {
      if (at.step !== "marks" && move.closedAt === null) move = await turnMove(context, move, { closedAt: Date.now() });
      if (at.step !== "marks") await close(sides.source, move, ids);
      const copied = await copyStep(slice, { ...begun, numbers, at });
      numbers = copied.numbers ?? numbers;
      done = Math.min(total, done + copied.done);
      if (copied.next === null) break;
      at = copied.next;
      if (isFull()) return continueLater({ ...begun, numbers, at } satisfies State, { progress: { done, total } });
    }
    await switchMove(context, move, begun.count);
    return continueLater(null, { delayMs: ROUTES_END_MS, progress: { done: total, total } });
  }

  /** One step, until the slice is full. @returns where the next one begins; null before the switch */
  async function copyStep(
    { job, move, sides, isFull }: Slice,
    { ids, at, numbers }: State,
  ): Promise<{ next: At | null; done: number; numbers?: Numbers }> {
    const { source } = sides;
    const target = asMover(sides.target, move, "coming", ids);
    switch (at.step) {
      case "marks": {
        const after = await copyTable(source, target, movedMarks.all, null, at.after, isFull);
        const rows = { workspace: 0, table: 0, after: null };
        return { next: after === null ? { step: "rows", place: rows } : { step: "marks", after: [...after] }, done: 0 };
      }
      case "rows": {
        const { next, rows, ...given } = await copyWorkspaces(source, target, order, ids, at.place, numbers, isFull);
        const then =
          next === null ? { step: "new-marks" as const, after: null } : { step: "rows" as const, place: next };
        return { next: then, done: rows, numbers: given.numbers };
      }
      case "new-marks": {
        const since = String(move.createdAt - MINUTE);
        const after = await copyTable(source, target, movedMarks.since, since, at.after, isFull);
        return { next: after === null ? { step: "compare" } : { step: "new-marks", after: [...after] }, done: 0 };
      }
      case "compare":
        // Before the index, which removes texts of former versions.
        await compareWorkspaces(source, sides.target, tables, ids, numbers);
        return { next: { step: "index", workspace: 0, place: FIRST_PLACE }, done: 0 };
      case "index": {
        const id = ids[at.workspace];
        if (id === undefined) return { next: { step: "switch" }, done: 0 };
        const { next, done } = await indexWorkspace(target, id, at.place, `${job.id}:${move.token}`, isFull);
        const place = next ?? FIRST_PLACE;
        return { next: { step: "index", workspace: at.workspace + (next === null ? 1 : 0), place }, done };
      }
      case "switch":
        return { next: null, done: 0 };
    }
  }

  async function undo({ context, job, move, sides: { source, target }, isFull }: Slice): Promise<Outcome> {
    const ids = await workspacesOf(context, move.number, move.source);
    await reopenSource(source, move, ids);
    const held = await holdOne(target, move, "coming", ids);
    const place = removalSchema.catch(null).parse(job.state) ?? FIRST_REMOVAL;
    const next = await removeRows(asMover(target, move, "coming", held), tables, held, place, isFull);
    if (next !== null) return continueLater(next);
    await endHold(target, move, ids);
    await turnMove(context, move, { state: "undone", finishedAt: Date.now() });
    return complete();
  }

  async function open({ context, move, sides }: Slice): Promise<Outcome> {
    const left = (move.switchedAt ?? 0) + ROUTES_END_MS - Date.now();
    if (left > 0) return continueLater(null, { delayMs: left });
    const ids = await workspacesOf(context, move.number, move.target);
    await openTarget(sides, move, ids);
    await turnMove(context, move, { state: "opened", openedAt: Date.now() });
    return continueLater(null, { delayMs: REMOVE_AFTER_MS });
  }

  async function remove({ context, job, move, sides: { source }, isFull }: Slice): Promise<Outcome> {
    const left = (move.openedAt ?? 0) + REMOVE_AFTER_MS - Date.now();
    if (left > 0) return continueLater(null, { delayMs: left });
    const ids = await workspacesOf(context, move.number, move.target);
    const held = await holdOne(source, move, "gone", ids);
    const place = removalSchema.catch(null).parse(job.state) ?? FIRST_REMOVAL;
    const next = await removeRows(asMover(source, move, "gone", held), tables, held, place, isFull);
    if (next !== null) return continueLater(next);
    await endHold(source, move, ids);
    await turnMove(context, move, { state: "finished", finishedAt: Date.now() });
    return complete();
  }

  const slices = { copying: copy, undoing: undo, switched: open, opened: remove };

  return {
    async run(context, job) {
      const isFull = countQueries(context);
      const move = await takeMove(context, job.payload.moveId, randomHex(16));
      if (move === null || move.state === "finished" || move.state === "undone") return complete();
      const isBefore = move.state === "copying";
      if (isBefore && job.attempts > MAX_TRIES) return giveUp(context, move, "Every try ended without a result.");
      try {
        return await slices[move.state]({ context, job, move, sides: sidesOf(context, move), isFull });
      } catch (thrown) {
        if (isMoving(thrown) || thrown instanceof IsolateBusy) throw thrown;
        log("warn", "move.slice-failed", { moveId: move.id, state: move.state, ...describeFailure(thrown) });
        if (isBefore && (isFinal(thrown) || job.attempts >= MAX_TRIES)) return giveUp(context, move, reasonOf(thrown));
        if (isBefore || job.attempts < MAX_TRIES) throw thrown;
        return continueLater(job.state, { delayMs: FINISH_RETRY_MS });
      }
    },
  };
}

async function totalOf({ source }: Sides, ids: readonly string[]): Promise<number> {
  const { rows, passages } = await countWorkspaces(source, ids);
  return rows + passages;
}

/** The workspaces that are in the source. A number can have others, which were named and then never made. */
async function begin({ context, move, sides }: Slice): Promise<State> {
  const all = await workspacesOf(context, move.number, move.source);
  const ids = (await statesIn(sides.source, all)).map(({ workspaceId }) => workspaceId);
  if (!ids.includes(move.workspaceId)) throw new JobFailure("not-there", "The source does not have the workspace.");
  return { ids, count: all.length, numbers: NO_NUMBERS, at: { step: "marks", after: null } };
}

const isFinal = (thrown: unknown): boolean =>
  thrown instanceof JobFailure || thrown === isDeleted || thrown === othersCame;

const reasonOf = (thrown: unknown): string =>
  thrown instanceof JobFailure
    ? thrown.detail
    : isFinal(thrown) && thrown instanceof Error
      ? thrown.message
      : "It failed unexpectedly.";

/** Undoes a move that cannot go on. */
async function giveUp(context: Context, move: Move, reason: string): Promise<Outcome> {
  await turnMove(context, move, { state: "undoing", reason });
  return continueLater(null);
}
