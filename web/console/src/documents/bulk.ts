import { computed, signal } from "@preact/signals";
import { DOCUMENTS } from "#texts/documents.ts";
import { type DocumentChange, dataOf } from "../../../../client/src/index.ts";
import { Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { act, type Changed, tellChanged } from "./changed.ts";

/** Documents of one request: a copy of the limit in `src/documents/limits.ts`. */
const CHANGES_PER_REQUEST = 100;

/** A change of so many documents that it takes several requests: those that are done, and all. */
export const changing = signal<{ done: number; total: number; stop: () => void } | null>(null);
const isChanging = computed(() => changing.value !== null);
addEventListener("beforeunload", (event) => {
  if (isChanging.peek()) event.preventDefault();
});

/** Whether a change of so many documents shows its progress in the list. */
const isLong = (count: number): boolean => count > CHANGES_PER_REQUEST;

interface Made {
  changed: Pick<Changed, "ids" | "gone">;
  /** Documents that were changed, and the changes that take this back. */
  done: number;
  undo: DocumentChange[];
  /** Documents that were not changed, and the reason of the first. */
  refused: number;
  reason: string | null;
}

/** Sends changes in requests of limited size, one after the other. A request that fails ends it; what is done stays. */
async function send(locationId: string, changes: readonly DocumentChange[]): Promise<Made> {
  const made = { done: 0, undo: [] as DocumentChange[], refused: 0, reason: null as string | null };
  const [ids, gone]: [string[], string[]] = [[], []];
  let isStopped = false;
  const stop = () => {
    isStopped = true;
  };
  if (isLong(changes.length) && changing.peek() !== null) throw new Refusal(DOCUMENTS.changeRuns);
  try {
    for (let at = 0; at < changes.length; at += CHANGES_PER_REQUEST) {
      if (isStopped) throw new Refusal(DOCUMENTS.changeStopped);
      if (isLong(changes.length)) changing.value = { done: at, total: changes.length, stop };
      const some = changes.slice(at, at + CHANGES_PER_REQUEST);
      const params = { path: { locationId } };
      const { results, undo } = await dataOf(
        api.POST("/v1/spatial/locations/{locationId}/documents/changes", { params, body: { changes: some } }),
      );
      for (const [n, { documentId, error }] of results.entries()) {
        if (error !== null) {
          made.refused++;
          made.reason ??= error.detail;
          continue;
        }
        made.done++;
        (some[n]?.type === "delete" ? gone : ids).push(documentId);
      }
      made.undo.push(...undo);
    }
  } catch (thrown) {
    if (made.done === 0) throw thrown;
    made.refused = changes.length - made.done;
    made.reason ??= thrown instanceof Error ? thrown.message : null;
  } finally {
    if (isLong(changes.length)) changing.value = null;
  }
  return { ...made, changed: { ids, gone } };
}

/**
 * Makes changes of documents and says so, with one undo for all of them. Lists read what has changed.
 * @param words what was done with a number of documents
 * @param changed is called after the changes, and after the undo
 */
export async function changeDocuments(
  locationId: string,
  changes: readonly DocumentChange[],
  words: (count: number) => string,
  changed: () => void = () => undefined,
): Promise<void> {
  const make = (some: readonly DocumentChange[], by: Changed["by"]) =>
    act(async () => {
      const made = await send(locationId, some);
      tellChanged({ ...made.changed, by });
      changed();
      return made;
    });
  const { done, undo, refused, reason } = await make(changes, "act");
  const takeBack = async () => {
    try {
      const back = await make(undo, "undo");
      if (back.refused > 0) throw new Refusal(DOCUMENTS.notChanged(back.refused, back.reason ?? ""));
      say(DOCUMENTS.undone(back.done));
    } catch (thrown) {
      sayFailed(DOCUMENTS.undoFailed, thrown);
    }
  };
  const left = refused === 0 ? "" : ` ${DOCUMENTS.notChanged(refused, reason ?? "")}`;
  say(words(done) + left, undo.length === 0 ? undefined : takeBack);
}

/**
 * The same for a window, which `close` closes: at the end, or before a change that takes several requests, whose progress is in
 * the list. @throws the error of a change of one request
 */
export async function changeMany(
  locationId: string,
  changes: readonly DocumentChange[],
  words: (count: number) => string,
  close: () => void,
): Promise<void> {
  if (isLong(changes.length)) {
    close();
    await changeDocuments(locationId, changes, words).catch((thrown) => sayFailed(DOCUMENTS.changeFailed, thrown));
  } else {
    await changeDocuments(locationId, changes, words);
    close();
  }
}
