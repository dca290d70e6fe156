import type { ComponentChildren, TargetedEvent } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { Form } from "./form.tsx";

/** The element that had the focus before the latest window. If a window replaces another window, this element gets the focus when the second window closes. */
let latestOpener: Element | null = null;

/** Remembers the element with the focus. @returns a function that gives it the focus again, unless another element has it */
export function keepFocus(): () => void {
  const focused = document.activeElement;
  if (focused !== null && focused !== document.body) latestOpener = focused;
  const opener = latestOpener;
  return () => {
    // After the view is drawn: a window that replaces this window has the focus by then.
    requestAnimationFrame(() => {
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (isFree && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    });
  };
}

/**
 * The handlers of a window. They call `close` as soon as the window is asked to close: the browser reports its end later, and by then
 * the same window can be wanted again.
 */
export function useClose(close: () => void) {
  const isTold = useRef(false);
  return {
    onCancel: (event: Event) => {
      // A choice of files inside the window can be cancelled too.
      if (event.target !== event.currentTarget) return;
      event.preventDefault();
      // A second Escape without a click between them closes the window in any case.
      isTold.current = !event.defaultPrevented;
      close();
    },
    onClose: (event: TargetedEvent<HTMLDialogElement>) => {
      if (!isTold.current) return close();
      isTold.current = false;
      if (event.currentTarget.isConnected) event.currentTarget.showModal();
    },
  };
}

/** A window over the view. Escape closes it. At its end, the element that had the focus before gets it again. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const titleId = useId();
  const opened = useRef(false);
  const giveBack = useRef(() => {});
  const handlers = useClose(props.onClose);
  useEffect(() => () => giveBack.current(), []);
  return (
    <dialog
      class="sheetlike"
      aria-labelledby={titleId}
      ref={(element: HTMLDialogElement | null) => {
        if (element === null || opened.current) return;
        opened.current = true;
        giveBack.current = keepFocus();
        element.showModal();
      }}
      {...handlers}
    >
      <h2 id={titleId}>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

/** The button that closes a window without a change. */
export const Cancel = ({ onClose }: { onClose: () => void }) => (
  <button type="button" class="btn" onClick={onClose}>
    {COMMON.cancel}
  </button>
);

/** Asks before a change that cannot be undone. It closes when the change is made. */
export function Confirm(props: {
  title: string;
  help: string;
  send: string;
  failed: string;
  onSend: () => Promise<void>;
  onClose: () => void;
  /** Fields of the question, below its text. */
  children?: ComponentChildren;
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <Form
        send={props.send}
        failed={props.failed}
        onSend={async () => {
          await props.onSend();
          props.onClose();
        }}
        beside={<Cancel onClose={props.onClose} />}
      >
        <p>{props.help}</p>
        {props.children}
      </Form>
    </Dialog>
  );
}
