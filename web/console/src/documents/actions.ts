import { DOCUMENTS } from "#texts/documents.ts";
import { type Document, dataOf } from "../../../../client/src/index.ts";
import { say, sayFailed } from "../../../ui/notice.tsx";
import { reportOpened } from "../platform/interactions.ts";
import { deleteAt } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";
import { act, tellChanged } from "./changed.ts";

/** A link to the bytes of a document. It expires after some minutes. @param version the newest unless given */
export async function linkTo(
  documentId: string,
  query: { linkType?: "file" | "small" | "medium" | "page"; version?: number; page?: number } = {},
): Promise<string> {
  const params = { path: { documentId }, query };
  const headers = { accept: "application/json" };
  return (await dataOf(api.GET("/v1/documents/{documentId}/download", { params, headers }))).url;
}

/** Requests a link to the file and follows it: the browser saves the file. */
export async function download({ id }: Document, version?: number): Promise<void> {
  reportOpened(id, "Download");
  try {
    location.assign(await linkTo(id, version === undefined ? {} : { version }));
  } catch (thrown) {
    sayFailed(DOCUMENTS.downloadFailed, thrown);
  }
}

/** Deletes a document, and offers to undo that. @param changed is called after the deletion, and after the undo */
export async function remove(
  { id, fileName, locationId }: Document,
  changed: (isThere: boolean) => void = () => undefined,
): Promise<void> {
  const params = { path: { documentId: id } };
  const undo = async () => {
    try {
      await act(() => dataOf(api.POST("/v1/documents/{documentId}/restore", { params })));
      say(DOCUMENTS.restored(fileName));
      tellChanged({ ids: [id], gone: [], by: "undo" });
      changed(true);
    } catch (thrown) {
      sayFailed(DOCUMENTS.restoreFailed, thrown, undo);
    }
  };
  try {
    await deleteAt(locationId, () => dataOf(api.DELETE("/v1/documents/{documentId}", { params })));
    say(DOCUMENTS.removed(fileName), undo);
    tellChanged({ ids: [], gone: [id], by: "act" });
    changed(false);
  } catch (thrown) {
    sayFailed(DOCUMENTS.removeFailed, thrown);
  }
}
