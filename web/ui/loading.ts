import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  /** Whether the wait is so long that the page should show it. */
  slow: boolean;
  reload: () => void;
}

/** Minimum duration of a wait that is shown. */
const SLOW_MS = 300;

/** A network that has just returned can fail for this time; a read that meets this is repeated after the pause, milliseconds. */
const [SETTLING_MS, SETTLING_PAUSE_MS] = [15_000, 1_000];

/** The waits that are shown now, and the end of the latest wait. A wait that follows at once belongs to it. */
let shown = 0;
let shownUntil = Number.NEGATIVE_INFINITY;
const goesOn = (): boolean => shown > 0 || performance.now() - shownUntil < SLOW_MS;

/** Counts a shown wait. @returns a function that ends it */
function beginShown(): () => void {
  shown++;
  return () => {
    shown--;
    shownUntil = performance.now();
  };
}

/** Whether a component has been there for so long that it should show what it waits for. */
export function useSlow(): boolean {
  const [slow, setSlow] = useState(goesOn);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => (slow ? beginShown() : undefined), [slow]);
  return slow;
}

/**
 * Reads something, and again when `key` changes. The previous result stays until the next one arrives, unless the key
 * differs. The signal cancels a read whose result is not needed any more. A read that did not reach the service, or has not
 * reached it yet, is repeated when the network returns, and again while that network settles.
 */
export function useLoaded<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown }>({ key });
  const [slow, setSlow] = useState(goesOn);
  const [turn, setTurn] = useState(0);
  const waitedFor = useRef(key);
  const isAnswered = useRef(false);
  const returnedAt = useRef(Number.NEGATIVE_INFINITY);
  const reading = useRef(read);
  reading.current = read;
  useEffect(() => {
    let present = true;
    isAnswered.current = false;
    const stop = new AbortController();
    // A wait goes on when the same is read again before it arrived.
    if (waitedFor.current !== key) setSlow(false);
    waitedFor.current = key;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    let settling: ReturnType<typeof setTimeout> | undefined;
    const end = (next: { data?: T; error?: unknown }) => {
      if (!present) return;
      clearTimeout(timer);
      setSlow(false);
      // Without a connection, the previous data stays.
      const unreachable = next.error instanceof TypeError;
      isAnswered.current = !unreachable;
      if (unreachable && performance.now() - returnedAt.current < SETTLING_MS)
        settling = setTimeout(() => setTurn((before) => before + 1), SETTLING_PAUSE_MS);
      setState((before) => (unreachable && before.key === key && "data" in before ? before : { key, ...next }));
    };
    reading.current(stop.signal).then(
      (data) => end({ data }),
      (error) => end({ error }),
    );
    return () => {
      present = false;
      stop.abort();
      clearTimeout(timer);
      clearTimeout(settling);
    };
    // A new turn reads again.
  }, [key, turn]);
  // From the first moment on: the network can return before a failure is known, or is shown.
  useLayoutEffect(() => {
    const again = () => {
      returnedAt.current = performance.now();
      if (!isAnswered.current) setTurn((before) => before + 1);
    };
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, []);
  useEffect(() => (slow ? beginShown() : undefined), [slow]);
  const fits = state.key === key;
  return {
    data: fits ? state.data : undefined,
    error: fits ? state.error : undefined,
    slow,
    reload: () => setTurn((before) => before + 1),
  };
}
