import { useEffect, useRef } from "preact/hooks";

/**
 * Looks again and again while the page can be seen and has a network, and at once when the page can be seen again or the network
 * returns.
 * @param everyMs time between two looks, milliseconds; null: no look
 */
export function useLooks(everyMs: number | null, look: () => void): void {
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    if (everyMs === null) return;
    const run = () => {
      if (!document.hidden && navigator.onLine) latest.current();
    };
    const timer = setInterval(run, everyMs);
    document.addEventListener("visibilitychange", run);
    addEventListener("online", run);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", run);
      removeEventListener("online", run);
    };
  }, [everyMs]);
}
