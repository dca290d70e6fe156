import { ARCHIVE } from "#texts/archive.ts";
import { toast } from "../ui/notice.tsx";
import type { Archive } from "./archive.ts";

/** Lets the browser save bytes as a file. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has read the bytes when it begins to save them.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A file name for a moment of a camera: "gate-2026-11-20T09-30-00Z.jpg". */
export function fileNameOf(camera: string, time: number, extension: string): string {
  const words = camera
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const utc = new Date(time).toISOString().slice(0, 19).replaceAll(":", "-");
  return `${words === "" ? "camera" : words}-${utc}Z.${extension}`;
}

/** Saves the original of the picture that is shown. */
export async function savePicture(archive: Archive): Promise<void> {
  const [time, captureId] = [archive.shown.peek(), archive.captureId.peek()];
  if (time === null || captureId === null) return;
  const signal = new AbortController().signal;
  const blob = await archive.attempt(() => archive.port.image(captureId, "original", signal));
  if (blob === undefined) return;
  if (blob === null) toast.value = { text: ARCHIVE.pictureGone };
  else saveFile(blob, fileNameOf(archive.camera.peek().name, time, "jpg"));
}

/** Copies the address of this moment. Browsers refuse it without a secure connection. */
export async function copyMoment(archive: Archive): Promise<void> {
  try {
    await navigator.clipboard.writeText(archive.addressNow());
    toast.value = { text: ARCHIVE.linkCopied };
  } catch {
    toast.value = { text: ARCHIVE.linkNotCopied };
  }
}
