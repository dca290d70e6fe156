import { CAMERA_ARCHIVE } from "#texts/camera-archive.ts";
import { dataOf } from "../../../../client/src/index.ts";
import type { Archive } from "../../../archive/archive.ts";
import { toast } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

/** A removal can be undone for this time. Then the service deletes the picture permanently. */
const UNDO_MS = 8_000;

/** Removals that are not sent yet. Each is sent separately. */
const waiting = new Set<() => void>();
addEventListener("pagehide", () => {
  for (const send of waiting) send();
});

/** Removes the shown picture from the archive, and deletes it unless the person undoes that. */
export function removePicture(archive: Archive): void {
  const [time, captureId] = [archive.shown.peek(), archive.captureId.peek()];
  if (time === null || captureId === null) return;
  const text = CAMERA_ARCHIVE;
  archive.drop(time);
  const restore = (words: string) => {
    archive.restore(time);
    toast.value = { text: words };
  };
  const send = () => {
    clearTimeout(timer);
    if (!waiting.delete(send)) return;
    const params = { path: { captureId } };
    dataOf(api.DELETE("/v1/camera-captures/{captureId}", { params, keepalive: true })).then(
      () => {
        if (toast.peek() === shown) toast.value = null;
      },
      () => restore(text.removeFailed),
    );
  };
  const timer = setTimeout(send, UNDO_MS);
  waiting.add(send);
  const shown = {
    text: text.removed,
    undo: async () => {
      clearTimeout(timer);
      if (waiting.delete(send)) restore(text.restored);
    },
  };
  toast.value = shown;
}
