import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";

/** Copies a text. The button says that it did. */
export function CopyButton({ text, label = COMMON.copy }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="btn"
      onClick={() =>
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => undefined,
        )
      }
    >
      <span aria-live="polite">{copied ? COMMON.copied : label}</span>
    </button>
  );
}

/** A secret that is shown once, with buttons to copy it and to go on. `children` follow the secret; `beside` is before the buttons. */
export function Secret(props: {
  text: string;
  label: string;
  copy?: string;
  done: string;
  onDone: () => void;
  beside?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <>
      <output class="secret" aria-label={props.label}>
        {props.text}
      </output>
      {props.children}
      <p class="row buttons wrap">
        {props.beside}
        <CopyButton text={props.text} label={props.copy ?? COMMON.copy} />
        <button type="button" class="btn primary" onClick={props.onDone}>
          {props.done}
        </button>
      </p>
    </>
  );
}
