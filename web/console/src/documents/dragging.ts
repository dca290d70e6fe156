import { signal } from "@preact/signals";
import { DOCUMENTS } from "#texts/documents.ts";
import { FOLDERS } from "#texts/folders.ts";
import type { Document } from "../../../../client/src/index.ts";
import { sayFailed } from "../../../ui/notice.tsx";
import { changeDocuments } from "./bulk.ts";
import { folderEdition, joinPath, moveFolder, nameOfFolder } from "./folders.ts";

/** What a person drags: documents of the list, or a folder. */
type Dragged = { locationId: string } & ({ documents: readonly Document[] } | { folder: string });

const dragged = signal<Dragged | null>(null);
/** The folder under the pointer that would take what is dragged. */
const target = signal<string | null>(null);

/** The properties of an element that is dragged. */
export const draggable = (what: () => Dragged) => ({
  draggable: true,
  onDragStart: (event: DragEvent) => {
    dragged.value = what();
    // Firefox begins no drag without data.
    event.dataTransfer?.setData("text/plain", "");
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
    event.stopPropagation();
  },
  onDragEnd: () => {
    dragged.value = null;
    target.value = null;
  },
});

/** Whether a folder takes what is dragged: not itself, nothing above itself, and nothing that it has already. */
function takes(what: Dragged, path: string): boolean {
  if ("documents" in what) return what.documents.some((one) => one.path !== path);
  return !`${path}/`.startsWith(`${what.folder}/`) && joinPath(path, nameOfFolder(what.folder)) !== what.folder;
}

/** Moves what was dropped into a folder. */
export async function moveInto(what: Dragged, path: string): Promise<void> {
  const { locationId } = what;
  if ("folder" in what) {
    try {
      await moveFolder(locationId, what.folder, joinPath(path, nameOfFolder(what.folder)));
    } catch (thrown) {
      sayFailed(FOLDERS.moveFailed, thrown);
    }
    return;
  }
  try {
    await changeDocuments(
      locationId,
      what.documents
        .filter((one) => one.path !== path)
        .map(({ id, revision }) => ({ type: "move", documentId: id, path, baseRevision: revision })),
      DOCUMENTS.moved,
      () => {
        folderEdition.value++;
      },
    );
  } catch (thrown) {
    sayFailed(DOCUMENTS.changeFailed, thrown);
  }
}

/** The properties of an element that takes what is dropped, for the folder with this path. */
export const dropTarget = (path: string) => ({
  class: target.value === path ? "drop-target" : undefined,
  onDragOver: (event: DragEvent) => {
    const what = dragged.peek();
    if (what === null || !takes(what, path)) return;
    event.preventDefault();
    target.value = path;
  },
  onDragLeave: () => {
    if (target.peek() === path) target.value = null;
  },
  onDrop: (event: DragEvent) => {
    const what = dragged.peek();
    if (what === null || !takes(what, path)) return;
    event.preventDefault();
    dragged.value = null;
    target.value = null;
    void moveInto(what, path);
  },
});
