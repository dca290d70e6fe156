import { useEffect, useRef, useState } from "preact/hooks";

/** Files that are dragged over the window: whether there are some, and what happens with those that are dropped. */
export function useDrop(onFiles: ((files: FileList) => void) | null): boolean {
  const [over, setOver] = useState(false);
  const handle = useRef(onFiles);
  handle.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event) || handle.current === null) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event) || handle.current === null) return;
      event.preventDefault();
      setOver(false);
      if (event.dataTransfer) handle.current(event.dataTransfer.files);
    };
    addEventListener("dragover", onDragOver);
    addEventListener("dragleave", onDragLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDragOver);
      removeEventListener("dragleave", onDragLeave);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
}
