import { signal } from "@preact/signals";

/** Whether keys of one character are active. People who use speech input switch them off. */
export const singleKeys = signal(true);

/**
 * Whether a key belongs to a field or to an open window. In a window that was just closed, a field keeps the focus until the
 * browser draws the page again: such a key belongs to the page.
 */
export const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector("dialog[open]") !== null ||
  (target instanceof Element &&
    target.checkVisibility() &&
    target.closest("input, textarea, select, [contenteditable]") !== null);
