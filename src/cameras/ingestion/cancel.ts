import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { abandonCaptures, openOf } from "../capture-rows";
import { cameraFrames } from "../tables";
import { isUnfinished } from "./operations";

/** SQL that holds while a camera has an operation that is not finished, to be guarded on in a change. */
export const hasPendingOperations = ({ now }: Pick<Context, "now">, { id }: { id: string }): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraFrames} WHERE ${and(openOf(id), isUnfinished(now))})`;

/**
 * Cancels the unfinished operations of a camera with this change. Images in verification are not published, and the
 * device may announce again the images that it still has.
 */
export const cancelOperations = (
  context: Pick<Context, "workspace" | "now">,
  change: Change,
  { id }: { id: string },
): void => abandonCaptures(context, change, openOf(id), "cancelled");

/** Cancels with this change the operations of a camera that have not reached verification. */
export const cancelTransfers = (
  context: Pick<Context, "workspace" | "now">,
  change: Change,
  { id }: { id: string },
): void => abandonCaptures(context, change, and(openOf(id), eq(cameraFrames.status, "pending")), "cancelled");
