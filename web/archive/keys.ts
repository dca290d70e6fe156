import { isTyping, singleKeys } from "../ui/single-keys.ts";
import type { Archive } from "./archive.ts";
import { step, stepDay, stepGap, toEnd } from "./steps.ts";

/** Actions of keys other than the moves of the archive itself. */
export type KeyActions = Readonly<Record<string, () => void>>;

/** Moves by keys, except while a person types or a dialog is open. @returns a function that removes the listener. */
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
