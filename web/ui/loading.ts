import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  /** Whether the wait is so long that the page should show it. */
  slow: boolean;
  reload: () => void;
}

/** Minimum duration of a wait that is shown. */
const SLOW_MS = 300;

/**
 * Reads something, and again when `key` changes. The previous result stays until the next one arrives, unless the key
 * differs. The signal cancels a read whose result is not needed any more.
 */
export function useLoaded<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown }>({ key });
  const [slow, setSlow] = useState(false);
  const [turn, setTurn] = useState(0);
  const reading = useRef(read);
  reading.current = read;
  useEffect(() => {
    let present = true;
    const stop = new AbortController();
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    const end = (next: { data?: T; error?: unknown }) => {
      if (!present) return;
      clearTimeout(timer);
      setSlow(false);
      // Without a connection, the previous data stays.
      const unreachable = next.error instanceof TypeError;
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
      setSlow(false);
    };
    // A new turn reads again.
  }, [key, turn]);
  const fits = state.key === key;
  return {
    data: fits ? state.data : undefined,
    error: fits ? state.error : undefined,
    slow,
    reload: () => setTurn((before) => before + 1),
  };
}
