import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { FOLDERS } from "#texts/folders.ts";
import { byName } from "#texts/language.ts";
import {
  dataOf,
  eachItem,
  type Folder,
  type FolderChange,
  type FolderChangeCreate,
} from "../../../../client/src/index.ts";
import { type Loaded, useLoaded } from "../../../ui/loading.ts";
import { Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { deleteAt } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";

/** Joins the path of a folder and a name or path in it. Either can be empty. */
export const joinPath = (folder: string, name: string): string =>
  [folder, name].filter((part) => part !== "").join("/");

export const nameOfFolder = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

/** Counts the changes of folders in this tab: lists of folders and documents are read again after one. */
export const folderEdition = signal(0);

/** Counts the changes of whole folders in this tab: lists of documents are read again after one. */
export const contentEdition = signal(0);

/** The change of a large folder that runs. */
export const runningChange = signal<{ locationId: string; change: FolderChange } | null>(null);

async function readFolders(locationId: string, path: string): Promise<Folder[]> {
  const all: Folder[] = [];
  const pages = eachItem((cursor) =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/folders", {
        params: { path: { locationId }, query: { path, limit: 100, cursor } },
      }),
    ),
  );
  for await (const folder of pages) all.push(folder);
  return all.sort((a, b) => byName(a.name, b.name));
}

/** The folders in a folder of a location, by name. They stay during the next read. */
export function useFolders(locationId: string, path: string): Loaded<Folder[]> {
  const loaded = useLoaded(`folders ${locationId} ${path}`, () => readFolders(locationId, path));
  const edition = folderEdition.value;
  const read = useRef(edition);
  useEffect(() => {
    if (read.current !== edition) loaded.reload();
    read.current = edition;
  }, [edition, loaded.reload]);
  return loaded;
}

/** Makes a folder. */
export async function makeFolder(locationId: string, path: string): Promise<void> {
  const params = { path: { locationId } };
  await dataOf(api.POST("/v1/spatial/locations/{locationId}/folders", { params, body: { path } }));
  folderEdition.value++;
  say(FOLDERS.created(nameOfFolder(path)));
}

/** Time between two looks at a change that runs, milliseconds. */
const LOOK_MS = 1_000;

/** Sends a change of a folder, and waits until it has ended. Its progress is shown meanwhile. */
async function send(locationId: string, body: FolderChangeCreate): Promise<FolderChange> {
  const path = { locationId };
  let change = await dataOf(api.POST("/v1/spatial/locations/{locationId}/folders/changes", { params: { path }, body }));
  try {
    while (change.status === "running") {
      runningChange.value = { locationId, change };
      folderEdition.value++;
      contentEdition.value++;
      await new Promise((done) => setTimeout(done, LOOK_MS));
      const params = { path: { ...path, changeId: change.id } };
      change = await dataOf(api.GET("/v1/spatial/locations/{locationId}/folders/changes/{changeId}", { params }));
    }
  } finally {
    runningChange.value = null;
    folderEdition.value++;
    contentEdition.value++;
  }
  if (change.status === "stopped") throw new Refusal(change.reason ?? FOLDERS.stopped);
  return change;
}

/** What is said about documents that a change has left. */
const leftOf = ({ refused, reason }: FolderChange): string =>
  refused === 0 ? "" : ` ${FOLDERS.left(refused, reason ?? "")}`;

/** Takes a change back, and says so. */
const takeBack = (locationId: string, name: string, body: FolderChangeCreate) => async (): Promise<void> => {
  try {
    say(FOLDERS.undone(name) + leftOf(await send(locationId, body)));
  } catch (thrown) {
    sayFailed(FOLDERS.undoFailed, thrown);
  }
};

/**
 * Moves or renames a folder, and offers to undo that.
 * @param to the other location to which it moves; null if it stays in its location
 * @throws the error of the service
 */
export async function moveFolder(
  locationId: string,
  path: string,
  newPath: string,
  to: { id: string; name: string } | null = null,
): Promise<void> {
  if (path === newPath && to === null) return;
  const [there, back] = to === null ? [{}, {}] : [{ newLocationId: to.id }, { newLocationId: locationId }];
  const change = await send(locationId, { type: "move", path, newPath, ...there });
  const body = { type: "move" as const, path: newPath, newPath: path, ...back };
  const undo = takeBack(to?.id ?? locationId, nameOfFolder(path), body);
  const name = nameOfFolder(newPath);
  say((to === null ? FOLDERS.moved(name) : FOLDERS.movedTo(name, to.name)) + leftOf(change), undo);
}

/** Deletes a folder with its documents, and offers to undo that. */
export async function removeFolder(locationId: string, path: string): Promise<void> {
  const name = nameOfFolder(path);
  try {
    const change = await deleteAt(locationId, () => send(locationId, { type: "delete", path }));
    const undo = takeBack(locationId, name, { type: "restore", changeId: change.id });
    say(FOLDERS.removed(name, change.done) + leftOf(change), undo);
  } catch (thrown) {
    sayFailed(FOLDERS.removeFailed, thrown);
  }
}
