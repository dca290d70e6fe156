import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Document } from "../../../../client/src/index.ts";

/** The box that selects a document of a list. */
export const boxIn = (list: Element, id: string): HTMLElement | null =>
  list.querySelector<HTMLElement>(`[data-document="${CSS.escape(id)}"] .pick input`);

const isFree = (): boolean => document.activeElement === null || document.activeElement === document.body;

/**
 * Keeps the focus in a list: when the element that has it goes, the document at its place gets it. Without this, the keys of the
 * list would end with each act.
 * @returns a function that brings the focus back into the list, to the first of these documents, when nothing else has it
 */
export function useKeptFocus(
  list: RefObject<HTMLElement | null>,
  items: readonly Document[],
): (ids: readonly string[]) => void {
  const present = useRef(items);
  present.current = items;
  const isInside = useRef(false);
  // The document that had the focus last, in the list of that time; or the documents that get it.
  const place = useRef<{ id: string; items: readonly Document[] } | null>(null);
  const wanted = useRef<readonly string[]>([]);
  // What got the focus from here, until the wanted documents are read.
  const given = useRef<Element | null>(null);
  useEffect(() => {
    const onIn = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      isInside.current = list.current?.contains(target) === true;
      if (isInside.current && target !== given.current) wanted.current = [];
      const id = isInside.current ? target.closest("[data-document]")?.getAttribute("data-document") : undefined;
      if (id) place.current = { id, items: present.current };
    };
    const onOut = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null || !(target instanceof Element)) return;
      // An element that goes or is disabled loses the focus. The person has not left it.
      queueMicrotask(() => {
        if (target.isConnected && !target.matches(":disabled")) isInside.current = false;
      });
    };
    document.addEventListener("focusin", onIn);
    document.addEventListener("focusout", onOut);
    return () => {
      document.removeEventListener("focusin", onIn);
      document.removeEventListener("focusout", onOut);
    };
  }, []);
  const isThere = (id: string): boolean => present.current.some((one) => one.id === id);
  useLayoutEffect(() => {
    const isDue = (): boolean => {
      const isGiven = wanted.current.length > 0 && document.activeElement === given.current;
      return isInside.current && (isFree() || (isGiven && isThere(wanted.current[0] ?? "")));
    };
    if (!isDue()) return;
    let frame = 0;
    // A window that closes gives the focus back in the first frame.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        const box = list.current;
        if (box === null || !isDue()) return;
        const { id = "", items: before = [] } = place.current ?? {};
        const at = before.findIndex((one) => one.id === id);
        const near = [...before.slice(Math.max(at, 0)), ...before.slice(0, Math.max(at, 0)).reverse()];
        const next = [...wanted.current, ...near.map((one) => one.id)].find(isThere);
        given.current = (next === undefined ? null : boxIn(box, next)) ?? box;
        if (next !== undefined && wanted.current.includes(next)) wanted.current = [];
        if (given.current instanceof HTMLElement) given.current.focus();
      });
    });
    return () => cancelAnimationFrame(frame);
  });
  return (ids) => {
    if (!isFree() && document.activeElement?.closest(".toasts") === null) return;
    wanted.current = ids;
    isInside.current = true;
  };
}
