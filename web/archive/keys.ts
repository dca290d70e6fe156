import { signal } from "@preact/signals";
import type { Archive } from "./archive.ts";
import { step, stepDay, stepGap, toEnd } from "./steps.ts";

/** Whether keys of one character do something. People who use speech input switch them off. */
export const singleKeys = signal(true);

/** What a key does besides the archive's own moves. */
export type KeyActions = Readonly<Record<string, () => void>>;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, dialog, [contenteditable]") !== null;

/** Moves by keys, while nobody types or reads a dialog. @returns an undo. */
export function followKeys(archive: Archive, actions: KeyActions): () => void {
  const moves: Record<string, (event: KeyboardEvent) => void> = {
    ArrowLeft: ({ shiftKey }) => (shiftKey ? stepDay(archive, -1) : step(archive, -1)),
    ArrowRight: ({ shiftKey }) => (shiftKey ? stepDay(archive, 1) : step(archive, 1)),
    Home: () => toEnd(archive, "first"),
    End: () => toEnd(archive, "last"),
    "[": () => stepGap(archive, -1),
    "]": () => stepGap(archive, 1),
  };
  const press = (event: KeyboardEvent) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target instanceof Element && target.closest("[role=tab]") !== null && /^(Arrow|Home|End)/.test(event.key))
      return;
    if (event.key === " " && target instanceof Element && target.closest("button, a, summary") !== null) return;
    const isSingle = event.key.length === 1;
    if (isSingle && !singleKeys.peek()) return;
    const key = isSingle ? event.key.toLowerCase() : event.key;
    const move = moves[key];
    const action = actions[key];
    if (move === undefined && action === undefined) return;
    event.preventDefault();
    move?.(event);
    action?.();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}
