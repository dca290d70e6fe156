import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A button that is disabled while its work runs. `label` is its accessible name if its content is an icon alone. */
export function BusyButton(props: {
  onPress: () => Promise<unknown>;
  label?: string;
  bare?: boolean;
  children: ComponentChildren;
}) {
  const [busy, setBusy] = useState(false);
  return (
    <button
      type="button"
      class={props.bare === true ? "btn bare icon-only" : "btn"}
      aria-label={props.label}
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void props.onPress().finally(() => setBusy(false));
      }}
    >
      {props.children}
    </button>
  );
}
