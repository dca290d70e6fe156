import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { COMMON } from "../texts/common.ts";
import { Form } from "./form.tsx";

/** A window over the view. Escape closes it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const titleId = useId();
  const opened = useRef(false);
  return (
    <dialog
      class="sheetlike"
      aria-labelledby={titleId}
      ref={(element: HTMLDialogElement | null) => {
        if (element === null || opened.current) return;
        opened.current = true;
        element.showModal();
      }}
      onClose={props.onClose}
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
