import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { firstState, writeSlice } from "./passages";

/** Indexes a document's text at once where one slice does it, and queues it where it is longer. Returns its passages. */
export async function reindexText(
  context: Context,
  change: Change,
  { id, tenantId }: { id: string; tenantId: string },
  run: string,
): Promise<number> {
  const state = await firstState(context, id, run);
  if (state?.step !== "write") return 0;
  const outcome = await writeSlice(context, state);
  if (outcome.kind === "again") {
    change.job("index-document", { documentId: id }, { tenantId, dedupeKey: `index-document:${id}` });
    return 0;
  }
  try {
    await outcome.change?.commit();
  } catch (thrown) {
    // Another job indexes a newer text of it: that one counts.
    if (!(thrown instanceof DomainError && thrown.code === "conflict")) throw thrown;
  }
  return outcome.progress?.total ?? 0;
}
