import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { endUploads } from "../../workspace";
import { uploads } from "../../workspace/tables";
import { CAPTURE_PURPOSE } from "./limits";
import { isUnfinished } from "./operation";

/** SQL that holds while a camera has an operation that is not finished, to be guarded on in a change. */
export const hasPendingOperations = ({ now }: Pick<Context, "now">, { id }: { id: string }): SQL =>
  sql`EXISTS (SELECT 1 FROM ${uploads} WHERE ${uploads.targetId} = ${id} AND ${uploads.purpose} = ${CAPTURE_PURPOSE}
    AND ${isUnfinished(now)})`;

/**
 * Cancels the unfinished operations of a camera with this change: what is being verified is not
 * published, and the device may begin anew with what it still holds.
 */
export const cancelOperations = (context: Pick<Context, "db" | "now">, change: Change, { id }: { id: string }): void =>
  endUploads(context, change, sql`SELECT ${id}`);

/** Cancels the transfers that a camera's device has begun and not handed to verification, with this change. */
export const cancelTransfers = (context: Pick<Context, "db" | "now">, change: Change, { id }: { id: string }): void =>
  endUploads(context, change, sql`SELECT ${id}`, ["pending"]);
