import { DOCUMENTS } from "#texts/documents.ts";
import { type DocumentChange, dataOf } from "../../../../client/src/index.ts";
import { Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

/** Documents of one request: a copy of the limit in `src/documents/limits.ts`. */
const CHANGES_PER_REQUEST = 100;

interface Made {
  /** Documents that were changed, and the changes that take this back. */
  done: number;
  undo: DocumentChange[];
  /** Documents that were not changed, and the reason of the first. */
  refused: number;
  reason: string | null;
}

/** Sends changes in requests of limited size, one after the other. A request that fails ends it; what is done stays. */
async function send(locationId: string, changes: readonly DocumentChange[]): Promise<Made> {
  const made: Made = { done: 0, undo: [], refused: 0, reason: null };
  for (let at = 0; at < changes.length; at += CHANGES_PER_REQUEST) {
    const body = { changes: changes.slice(at, at + CHANGES_PER_REQUEST) };
    const params = { path: { locationId } };
    try {
      const { results, undo } = await dataOf(
        api.POST("/v1/spatial/locations/{locationId}/documents/changes", { params, body }),
      );
      const refusals = results.flatMap(({ error }) => (error === null ? [] : [error.detail]));
      made.done += results.length - refusals.length;
      made.refused += refusals.length;
      made.reason ??= refusals[0] ?? null;
      made.undo.push(...undo);
    } catch (thrown) {
      if (made.done === 0) throw thrown;
      made.refused += changes.length - at;
      made.reason ??= thrown instanceof Error ? thrown.message : null;
      return made;
    }
  }
  return made;
}

/**
 * Makes changes of documents and says so, with one undo for all of them.
 * @param words what was done with a number of documents
 * @param changed is called after the changes, and after the undo
 */
export async function changeDocuments(
  locationId: string,
  changes: readonly DocumentChange[],
  words: (count: number) => string,
  changed: () => void,
): Promise<void> {
  const { done, undo, refused, reason } = await send(locationId, changes);
  changed();
  const takeBack = async () => {
    try {
      const back = await send(locationId, undo);
      changed();
      if (back.refused > 0) throw new Refusal(DOCUMENTS.notChanged(back.refused, back.reason ?? ""));
      say(DOCUMENTS.undone(back.done));
    } catch (thrown) {
      sayFailed(DOCUMENTS.undoFailed, thrown);
    }
  };
  const left = refused === 0 ? "" : ` ${DOCUMENTS.notChanged(refused, reason ?? "")}`;
  say(words(done) + left, undo.length === 0 ? undefined : takeBack);
}
