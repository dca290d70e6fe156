import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import type { JobPayload } from "../../platform/jobs/kinds";
import { HOUR } from "../../platform/time";
import { annotationPart, clusterPart, locationPart } from "./parts";

/** Rows one slice takes away: well inside what one batch may cost. */
const SLICE_ROWS = 200;

/** How long a deletion that used up its tries waits until it begins anew. */
const TRY_AGAIN_AFTER = HOUR;

/** A cluster, location or document that was deleted, with all it holds. */
export type Tree = JobPayload<"delete-tree">;

/** While the deletion of a tree waits, another is not queued beside it. */
export const treeKey = ({ id }: Pick<Tree, "id">): string => `delete-tree:${id}`;

/** One kind of row that lies in a tree; each feature gives those it owns. */
export interface TreePart {
  /** Unique; kept in the job's state. */
  name: string;
  /**
   * Adds to `change` the deletion of at most `limit` rows of this part, and of what hangs on them.
   * Returns how many rows it takes: 0 only when none is left.
   */
  take(context: Context, tree: Tree, change: Change, limit: number): Promise<number>;
}

const placeSchema = z.object({ part: z.string() }).nullable();

/**
 * The job that takes a deleted tree away, part by part, what is contained before what contains it;
 * `parts` are those of the features above and go first, in their order. A slice commits together with
 * the job's place, so that a job killed anywhere goes on where it stood.
 */
export function deleteTree(parts: readonly TreePart[]): JobHandler<"delete-tree"> {
  const order = [...parts, annotationPart, locationPart, clusterPart];
  return {
    async run(context, { payload, state, progress }) {
      const place = placeSchema.parse(state)?.part;
      const from = Math.max(
        0,
        order.findIndex((part) => part.name === place),
      );
      const change = beginChange(context);
      for (const part of order.slice(from)) {
        const taken = await part.take(context, payload, change, SLICE_ROWS);
        if (taken === 0) continue;
        const gone = { done: progress.done + taken, total: progress.total + taken };
        return again({ part: part.name }, { change, progress: gone });
      }
      return done();
    },
    /** What is marked as deleted is never left lying: the same work is queued again, for later. */
    failed(_context, { payload, tenantId }, change) {
      const again = { tenantId, dedupeKey: treeKey(payload), delayMs: TRY_AGAIN_AFTER };
      change.job("delete-tree", payload, again);
    },
  };
}
