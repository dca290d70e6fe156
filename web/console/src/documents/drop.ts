import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { joinPath } from "./folders.ts";
import { pastedFiles } from "./pasted.ts";
import type { FileToAdd } from "./uploads.ts";

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** The entries of a folder. A browser returns them in parts; the last part is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0) return all;
    all.push(...part);
  }
}

/** The files of an entry and of the folders below it, with their paths. */
async function filesOf(entry: FileSystemEntry, path: string): Promise<FileToAdd[]> {
  if (isFile(entry)) return [{ file: await new Promise<File>((done, fail) => entry.file(done, fail)), path }];
  if (!isFolder(entry)) return [];
  const below: FileToAdd[] = [];
  for (const one of await entriesOf(entry)) below.push(...(await filesOf(one, joinPath(path, entry.name))));
  return below;
}

/** The files of a file input. Files of a chosen folder have their path in it. */
export const chosenFiles = (files: Iterable<File>, folder: string): FileToAdd[] =>
  [...files].map((file) => ({
    file,
    path: joinPath(folder, file.webkitRelativePath.split("/").slice(0, -1).join("/")),
  }));

/** The dropped files and folders. The entries must be read before the first `await`. */
async function droppedFiles({ items, files }: DataTransfer, folder: string): Promise<FileToAdd[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry());
  if (entries.length === 0 || entries.includes(null)) return chosenFiles(files, folder);
  const found = await Promise.all(entries.map((entry) => (entry === null ? [] : filesOf(entry, folder))));
  return found.flat();
}

/** Whether an element takes the text of the clipboard itself. */
const isWritten = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, dialog, [contenteditable]") !== null;

/** Handles files that are pasted, or dragged over the window: tells whether there are some, and receives the dropped ones. */
export function useDrop(folder: string, onFiles: ((files: FileToAdd[]) => void) | null): boolean {
  const [over, setOver] = useState(false);
  const handle = useRef({ folder, onFiles });
  handle.current = { folder, onFiles };
  // This runs before the page invites people to drop files, so that no drop is missed.
  useLayoutEffect(() => {
    const isWanted = (event: DragEvent) =>
      event.dataTransfer?.types.includes("Files") === true && handle.current.onFiles !== null;
    const onDragOver = (event: DragEvent) => {
      if (!isWanted(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      if (!isWanted(event) || event.dataTransfer === null) return;
      event.preventDefault();
      setOver(false);
      const target = handle.current;
      droppedFiles(event.dataTransfer, target.folder).then(
        (files) => target.onFiles?.(files),
        () => undefined,
      );
    };
    const onPaste = ({ clipboardData, target }: ClipboardEvent) => {
      const { folder: at, onFiles: receive } = handle.current;
      const files = clipboardData?.files;
      if (receive === null || files === undefined || files.length === 0 || isWritten(target)) return;
      receive(pastedFiles(files, at, new Date()));
    };
    addEventListener("paste", onPaste);
    addEventListener("dragover", onDragOver);
    addEventListener("dragleave", onDragLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("paste", onPaste);
      removeEventListener("dragover", onDragOver);
      removeEventListener("dragleave", onDragLeave);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
}
