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
