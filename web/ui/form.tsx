import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Alert } from "./notice.tsx";

/** A form whose error is shown above its button. While it is sent, it cannot be sent again. */
export function Form(props: {
  send: string;
  failed: string;
  onSend: (values: (name: string) => string) => Promise<void>;
  children: ComponentChildren;
  beside?: ComponentChildren;
  /** Whether the view has a more important action. */
  secondary?: boolean;
}) {
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (sending) return;
    const data = new FormData(event.currentTarget as HTMLFormElement);
    setSending(true);
    setError(null);
    try {
      await props.onSend((name) => String(data.get(name) ?? ""));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSending(false);
    }
  };
  return (
    <form class="stack form" onSubmit={submit}>
      {props.children}
      {error !== null && <Alert title={props.failed} error={error} />}
      <div class="row buttons">
        {props.beside}
        <button type="submit" class={props.secondary ? "btn" : "btn primary"} disabled={sending}>
          {props.send}
        </button>
      </div>
    </form>
  );
}

interface Point {
  latitude: number | null;
  longitude: number | null;
}

/**
 * The attributes of a kind of field. A browser's own field for addresses refuses letters outside of ASCII before the @, so an
 * address is typed into a field for text with the keyboard for addresses.
 */
const kindOf = (type: string) =>
  type === "email"
    ? ({
        type: "text",
        inputMode: "email",
        autocapitalize: "none",
        spellcheck: false,
        pattern: ".*[^ ]@[^ ].*",
      } as const)
    : { type: type as "text" };

export function Field(props: {
  label: string;
  name: string;
  type?: "text" | "email" | "password" | "number" | "date";
  /** The value that the field has first. */
  defaultValue?: string | number;
  autocomplete?: string;
  help?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  /** The step of a number; "any" for every number. */
  step?: number | "any";
  /** The id of a list of suggestions. */
  list?: string;
  autofocus?: boolean;
  /** Gets the value when the person has finished it. */
  onChange?: (value: string) => void;
}) {
  const { label, help, autofocus, type = "text", onChange, ...input } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        {...kindOf(type)}
        {...input}
        ref={autofocus ? focusOnce : null}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      />
      {help && <span class="help">{help}</span>}
    </label>
  );
}

/** The field of a new password. */
export const NewPassword = (props: { label: string; name: string; help?: string; autofocus?: boolean }) => (
  <Field type="password" autocomplete="new-password" required minLength={10} maxLength={200} {...props} />
);

/** The fields of a place: degrees of WGS 84. */
export function Degrees(props: { labels: { latitude: string; longitude: string }; value: Point | null }) {
  const field = (name: "latitude" | "longitude", most: number) => (
    <Field
      label={props.labels[name]}
      name={name}
      type="number"
      step="any"
      min={-most}
      max={most}
      defaultValue={props.value?.[name] ?? ""}
    />
  );
  return (
    <div class="pair">
      {field("latitude", 90)}
      {field("longitude", 180)}
    </div>
  );
}

/** A field of several lines. */
export function Area(props: {
  label: string;
  name: string;
  defaultValue?: string;
  rows?: number;
  maxLength?: number;
  help?: string;
}) {
  const { label, help, rows = 4, ...input } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <textarea class="input" rows={rows} {...input} />
      {help && <span class="help">{help}</span>}
    </label>
  );
}

/** A choice of one of a few values. */
export function Choice<T extends string>(props: {
  label: string;
  name: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange?: (value: T) => void;
  help?: string | undefined;
}) {
  const { label, help, options, onChange, value, name } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select
        class="input"
        name={name}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.currentTarget.value);
          if (chosen) onChange?.(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      {help && <span class="help">{help}</span>}
    </label>
  );
}

/** A switch: a box with its label beside it. */
export function Check(props: {
  label: string;
  name?: string;
  checked: boolean;
  disabled?: boolean;
  help?: string;
  onChange?: (checked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={props.name}
        defaultChecked={props.checked}
        disabled={props.disabled}
        onChange={(event) => props.onChange?.(event.currentTarget.checked)}
      />
      <span>
        {props.label}
        {props.help && <span class="help">{props.help}</span>}
      </span>
    </label>
  );
}

const focused = new WeakSet<Element>();
function focusOnce(element: HTMLInputElement | null): void {
  if (element === null || focused.has(element)) return;
  focused.add(element);
  element.focus();
}
