import { z } from "@hono/zod-openapi";
import {
  type Move,
  othersCame,
  ROUTE_MS,
  requireMove,
  switchMove,
  takeMove,
  turnMove,
  workspacesOf,
} from "../../access";
import { movedMarks } from "../../platform/carry";
import type { Context } from "../../platform/context";
import { randomHex } from "../../platform/crypto/bytes";
import type { Carried } from "../../platform/db/carry/declare";
import { isMoving, type Residence } from "../../platform/db/residence";
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
import type { CopyOptions } from "../../platform/objects/pair";
import { IsolateBusy } from "../../platform/pace";
import { MINUTE, SECOND } from "../../platform/time";
import { FIRST_PLACE, indexPlaceSchema, indexWorkspace } from "../../search";
import { UPLOAD_URL_LIFETIME_MS } from "../../uploads";
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
import {
  copyObjects,
  copyStaged,
  FIRST_OBJECTS,
  type ObjectPlace,
  objectPlaceSchema,
  removeObjects,
  untilFull,
} from "./objects";
import { removalPlaceSchema, removeRows } from "./remove";

/** Tries of a slice, after which a move that has not switched is undone. */
const MAX_TRIES = 6;
/** Pause after a failure of a move that has switched: it must be finished. */
const FINISH_RETRY_MS = MINUTE;
/** Time between the switch and the first change in the target, milliseconds: longer than routes are remembered, also by a clock that is slower. */
const ROUTES_END_MS = ROUTE_MS + SECOND;
/** Time between the opening of the target and the removal of the rows of the source, milliseconds: a request that began before reads them. */
const REMOVE_AFTER_MS = 15 * MINUTE;
/**
 * Time for which a move with two buckets stays before it ends, milliseconds: until no worker of it can run any more, and no address of
 * an upload is valid that writes into the bucket which lost the workspace. Then the objects are removed once more. So no worker
 * that wakes up late removes what a later move has copied.
 */
const SETTLE_MS = UPLOAD_URL_LIFETIME_MS + 15 * MINUTE;

/** What a slice continues. `ids`: the workspaces that move; `count`: those that the directory has under their number. */
const stateSchema = z
  .strictObject({
    ids: z.array(z.string()),
    count: z.int(),
    numbers: numbersSchema,
    at: z.discriminatedUnion("step", [
      z.strictObject({ step: z.literal("objects"), place: objectPlaceSchema }),
      z.strictObject({ step: z.literal("marks"), after: cursorSchema }),
      z.strictObject({ step: z.literal("rows"), place: copyPlaceSchema }),
      z.strictObject({ step: z.literal("new-marks"), after: cursorSchema }),
      z.strictObject({ step: z.literal("new-objects"), place: objectPlaceSchema }),
      z.strictObject({ step: z.literal("compare") }),
      z.strictObject({ step: z.literal("index"), workspace: z.int(), place: indexPlaceSchema }),
      z.strictObject({ step: z.literal("switch") }),
    ]),
  })
  .nullable();
type State = NonNullable<z.infer<typeof stateSchema>>;
type At = State["at"];

/** Steps before which the workspaces are still open to changes. */
const OPEN_STEPS: readonly At["step"][] = ["objects", "marks"];

/** Where the removal from the database and the bucket that do not have the workspaces ends so far. */
const removalSchema = z
  .discriminatedUnion("step", [
    z.strictObject({ step: z.literal("objects"), place: objectPlaceSchema }),
    z.strictObject({ step: z.literal("rows"), place: removalPlaceSchema }),
    z.strictObject({ step: z.literal("rest"), place: objectPlaceSchema }),
  ])
  .nullable()
  .catch(null);
type RemovalAt = NonNullable<z.infer<typeof removalSchema>>;

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
      if (!OPEN_STEPS.includes(at.step)) {
        if (move.closedAt === null) move = await turnMove(context, move, { closedAt: Date.now() });
        await close(sides.source, move, ids);
      }
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
    { context, job, move, sides, isFull }: Slice,
    { ids, at, numbers }: State,
  ): Promise<{ next: At | null; done: number; numbers?: Numbers }> {
    const { source } = sides;
    const target = asMover(sides.target, move, "coming", ids);
    const copied = async (place: ObjectPlace, mayRemove: CopyOptions["mayRemove"]) => {
      const pair = pairOf(context, move);
      return pair === null ? null : copyObjects(pair, source, ids, place, { isFull: untilFull(isFull), mayRemove });
    };
    switch (at.step) {
      case "objects": {
        const place = await copied(at.place, null);
        return { next: place === null ? { step: "marks", after: null } : { step: "objects", place }, done: 0 };
      }
      case "new-objects": {
        const place = await copied(at.place, () => requireMove(context, move));
        return { next: place === null ? { step: "compare" } : { step: "new-objects", place }, done: 0 };
      }
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
        const then = { step: "new-objects" as const, place: FIRST_OBJECTS };
        return { next: after === null ? then : { step: "new-marks", after: [...after] }, done: 0 };
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

  async function undo(slice: Slice): Promise<Outcome> {
    const { context, move, sides } = slice;
    const { source, target } = sides;
    const ids = await workspacesOf(context, move.number, move.source);
    await reopenSource(source, move, ids);
    const held = await holdOne(target, move, "coming", ids);
    const next = await removeFrom(slice, target, { held, state: "coming" }, ids);
    if (next !== null) return next;
    await endHold(target, move, ids);
    await turnMove(context, move, { state: "undone", finishedAt: Date.now() });
    return complete();
  }

  async function open({ context, move, sides }: Slice): Promise<Outcome> {
    const left = (move.switchedAt ?? 0) + ROUTES_END_MS - Date.now();
    if (left > 0) return continueLater(null, { delayMs: left });
    const ids = await workspacesOf(context, move.number, move.target);
    const pair = pairOf(context, move);
    if (pair !== null) await copyStaged(pair, sides.source, ids);
    await openTarget(sides, move, ids);
    await turnMove(context, move, { state: "opened", openedAt: Date.now() });
    return continueLater(null, { delayMs: REMOVE_AFTER_MS });
  }

  async function remove(slice: Slice): Promise<Outcome> {
    const { context, job, move, sides } = slice;
    const { source } = sides;
    const left = (move.openedAt ?? 0) + REMOVE_AFTER_MS - Date.now();
    if (left > 0) return continueLater(null, { delayMs: left });
    const ids = await workspacesOf(context, move.number, move.target);
    const held = await holdOne(source, move, "gone", ids);
    const pair = pairOf(context, move);
    if (pair !== null && job.state === null) await copyStaged(pair, sides.target, ids);
    const next = await removeFrom(slice, source, { held, state: "gone" }, ids);
    if (next !== null) return next;
    await endHold(source, move, ids);
    await turnMove(context, move, { state: "finished", finishedAt: Date.now() });
    return complete();
  }

  /**
   * Removes workspaces from a database and a bucket that do not have them: objects, rows, and after a pause the objects that came late.
   * @returns how the job goes on; null when nothing is left
   */
  async function removeFrom(
    { context, job, move, sides, isFull }: Slice,
    there: Context,
    { held, state }: { held: readonly string[]; state: Residence },
    ids: readonly string[],
  ): Promise<Outcome | null> {
    const other = there.database === move.source ? sides.target : sides.source;
    const pair = context.stores.between(there.database, other.database);
    const first: RemovalAt = { step: "objects", place: FIRST_OBJECTS };
    for (let at: RemovalAt = removalSchema.parse(job.state) ?? first; ; ) {
      if (at.step === "rows") {
        const place = await removeRows(asMover(there, move, state, held), tables, held, at.place, isFull);
        if (place !== null) return continueLater({ step: "rows", place } satisfies RemovalAt);
        if (pair === null) return null;
        return continueLater({ step: "rest", place: FIRST_OBJECTS } satisfies RemovalAt, { delayMs: SETTLE_MS });
      }
      const place =
        pair === null
          ? null
          : await removeObjects(pair, at.step === "rest" ? other : there, ids, at.place, {
              isFull: untilFull(isFull),
              mayRemove: () => requireMove(context, move),
            });
      if (place !== null) return continueLater({ ...at, place } satisfies RemovalAt);
      if (at.step === "rest") return null;
      at = { step: "rows", place: { workspace: 0, table: 0 } };
    }
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

/** The buckets of a move; null if there is one. */
const pairOf = ({ stores }: Context, { source, target }: Move) => stores.between(source, target);

async function totalOf({ source }: Sides, ids: readonly string[]): Promise<number> {
  const { rows, passages } = await countWorkspaces(source, ids);
  return rows + passages;
}

/** The workspaces that are in the source. A number can have others, which were named and then never made. */
async function begin({ context, move, sides }: Slice): Promise<State> {
  const all = await workspacesOf(context, move.number, move.source);
  const ids = (await statesIn(sides.source, all)).map(({ workspaceId }) => workspaceId);
  if (!ids.includes(move.workspaceId)) throw new JobFailure("not-there", "The source does not have the workspace.");
  return { ids, count: all.length, numbers: NO_NUMBERS, at: { step: "objects", place: FIRST_OBJECTS } };
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
