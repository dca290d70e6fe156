import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ProblemError } from "../../client/src/index.ts";
import { COMMON } from "../texts/common.ts";
import { Icon, type IconName } from "./icon.tsx";

/** A refusal of the page itself. Its message is for the person. */
export class Refusal extends Error {}

/** What an error says to the person. */
export function messageOf(error: unknown): string {
  if (error instanceof ProblemError || error instanceof Refusal) return error.message;
  return error instanceof TypeError ? COMMON.unreachable : COMMON.unexpected;
}

/** An error: what did not work, what the service says, and the number of the request to quote. */
export function Alert({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) {
  const [copied, setCopied] = useState(false);
  const requestId = error instanceof ProblemError ? error.problem?.requestId : undefined;
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
      {requestId !== undefined && (
        <p class="row wrap xs muted">
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
            {copied ? COMMON.copied : COMMON.copy}
          </button>
        </p>
      )}
    </div>
  );
}

/** An empty or final state: what there is not, and the next step. */
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

/** Says that something is awaited, with the outline of what comes. */
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
  undo?: () => void;
}

/** What was just done, and how to undo it. It stays until it is closed or the next thing is done. */
export const toast = signal<Toast | null>(null);

/** Says what was done, and how to undo it. */
export const say = (text: string, undo?: () => void): void => {
  toast.value = { text, ...(undo && { undo }) };
};

export function Toasts() {
  const shown = toast.value;
  return (
    <div class="toasts" role="status">
      {shown && (
        <div class="card toast">
          <span class="grow">{shown.text}</span>
          {shown.undo && (
            <button type="button" class="btn bare undo" onClick={shown.undo}>
              <Icon name="undo" />
              {COMMON.undo}
            </button>
          )}
          <button
            type="button"
            class="btn bare icon-only"
            aria-label={COMMON.close}
            onClick={() => {
              toast.value = null;
            }}
          >
            <Icon name="x" />
          </button>
        </div>
      )}
    </div>
  );
}
