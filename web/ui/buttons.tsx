import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

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

/** The main button of a view, which makes a new thing. */
export function AddButton({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" class="btn primary" onClick={() => onPress()}>
      <Icon name="plus" />
      {label}
    </button>
  );
}

/** A button that shows an icon alone. `label` is its accessible name. */
export function IconButton(props: { icon: IconName; label: string; disabled?: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      class="btn bare icon-only"
      aria-label={props.label}
      disabled={props.disabled}
      onClick={() => props.onPress()}
    >
      <Icon name={props.icon} />
    </button>
  );
}
