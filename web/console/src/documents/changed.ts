import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Document } from "../../../../client/src/index.ts";

/** What this tab has changed. */
export interface Changed {
  /** Documents that have changed, arrived or come back. */
  ids: readonly string[];
  /** Documents that are not there any more. */
  gone: readonly string[];
  /** `act`: an act of the person; `undo`: an act that was taken back; `upload`: one of many. */
  by: "act" | "undo" | "upload";
  /** A tag with another name or colour, or null after its deletion: documents keep their revisions. */
  tag?: { id: string; now: Document["tags"][number] | null };
}

const listeners = new Set<(changed: Changed) => void>();

/** Tells the lists of documents what this tab has changed, so that they read that and nothing else. */
export function tellChanged(changed: Changed): void {
  for (const hear of listeners) hear(changed);
}

/** Hears what this tab has changed, while a component is shown. */
export function useChanged(hear: (changed: Changed) => void): void {
  const present = useRef(hear);
  present.current = hear;
  useEffect(() => {
    const listener = (changed: Changed) => present.current(changed);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
}

/** The acts of this tab that run. Their events can arrive before their answers, which say the same. */
export const acting = signal(0);

/** Runs an act of the person. */
export async function act<T>(run: () => Promise<T>): Promise<T> {
  acting.value++;
  try {
    return await run();
  } finally {
    acting.value--;
  }
}
