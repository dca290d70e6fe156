import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { ProblemError, TransferError } from "../../client/src/index.ts";
import { IconButton } from "./buttons.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** A refusal by the page itself. Its message is for the person. */
export class Refusal extends Error {}

/** The text of an error for the person. */
export function messageOf(error: unknown): string {
  if (error instanceof ProblemError && error.code === "workspace-moving") return COMMON.moving;
  if (error instanceof ProblemError || error instanceof Refusal) return error.message;
  if (error instanceof TransferError) return COMMON.notTaken(error.reason, error.status, error.requestId !== null);
  return error instanceof TypeError ? COMMON.unreachable : COMMON.unexpected;
}

function requestIdOf(error: unknown): string | null {
  if (error instanceof TransferError) return error.requestId;
  return error instanceof ProblemError ? (error.problem?.requestId ?? null) : null;
}

/** The id of the failed request, which a person can tell the operators of the service. Nothing if there is none. */
export function RequestId({ error }: { error: unknown }) {
  const [copied, setCopied] = useState(false);
  const requestId = requestIdOf(error);
  if (requestId === null) return null;
  return (
    <span class="request row wrap xs muted">
      <code class="cut">{COMMON.requestId(requestId)}</code>
      <button
        type="button"
        class="link"
        onClick={() =>
          navigator.clipboard.writeText(requestId).then(
            () => setCopied(true),
            () => undefined,
          )
        }
      >
        <span aria-live="polite">{copied ? COMMON.copied : COMMON.copy}</span>
      </button>
    </span>
  );
}

/** An error: the action that failed, the answer of the service, and the id of the request to quote. */
export function Alert({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) {
  return (
    <div class="alert" role="alert">
      <p class="row">
        <Icon name="alert" />
        <b>{title}</b>
      </p>
      <p>{messageOf(error)}</p>
      {onRetry && (
        <p>
          <button type="button" class="btn" onClick={onRetry}>
            <Icon name="retry" />
            {COMMON.tryAgain}
          </button>
        </p>
      )}
      <RequestId error={error} />
    </div>
  );
}

/** An empty or final state: a text that says so, and the next step. */
export function Calmly(props: { icon: IconName; title: string; help: string; children?: ComponentChildren }) {
  return (
    <div class="calmly">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.help}</p>
      {props.children}
    </div>
  );
}

/** The same in a card, where a list or a view would be. */
export const CalmCard = (props: Parameters<typeof Calmly>[0]) => (
  <div class="card frame">
    <Calmly {...props} />
  </div>
);

/** Shows that data is being loaded, with the outline of the contents. */
export function Waiting({ text }: { text: string }) {
  return (
    <div class="card pad stack waiting">
      <p class="small muted" role="status">
        {text}
      </p>
      <div class="skel" />
      <div class="skel" />
      <div class="skel" />
    </div>
  );
}

interface Toast {
  text: string;
  undo?: () => Promise<void>;
  /** The reason why the action failed. */
  error?: unknown;
}

/** Time for which the last action is shown, and time for which it can be undone, milliseconds. */
const SAID_MS = 8_000;
const UNDO_MS = 20_000;

/**
 * The last action, with a button to undo it or with the reason why it failed. It ends by itself, but not while the pointer or the
 * focus is on it. A failure stays until the person closes it or does another action.
 */
export const toast = signal<Toast | null>(null);

/** Shows the last action with a button to undo it. */
export const say = (text: string, undo?: () => Promise<void>): void => {
  toast.value = { text, ...(undo && { undo }) };
};

/** Shows that an action failed, where its view has no place for an alert. `undo` tries to undo the action again. */
export const sayFailed = (title: string, error: unknown, undo?: () => Promise<void>): void => {
  toast.value = { text: COMMON.named(title, messageOf(error)), error, ...(undo && { undo }) };
};

export function Toasts() {
  const shown = toast.value;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown === null || shown.error !== undefined) return;
    const time = shown.undo === undefined ? SAID_MS : UNDO_MS;
    const end = () => {
      if (box.current?.matches(":hover, :focus-within")) timer = setTimeout(end, SAID_MS);
      else if (toast.peek() === shown) toast.value = null;
    };
    let timer = setTimeout(end, time);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div class="toasts" role="status">
      {shown && (
        <div class="card toast" ref={box}>
          <span class="grow">
            {shown.text}
            <RequestId key={shown.text} error={shown.error} />
          </span>
          {shown.undo && (
            <button type="button" class="btn bare undo" onClick={() => void shown.undo?.()}>
              <Icon name="undo" />
              {COMMON.undo}
            </button>
          )}
          <IconButton
            icon="x"
            label={COMMON.close}
            onPress={() => {
              toast.value = null;
            }}
          />
        </div>
      )}
    </div>
  );
}
