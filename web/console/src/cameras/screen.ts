import { useEffect, useState } from "preact/hooks";
import { choose } from "./wall-address.ts";

/* The screen of a control room: the wall fills it, and it stays on. */

/** Whether this browser can give the page the whole screen, and whether the page has it. */
export const canFill = (): boolean => document.fullscreenEnabled;
export function useFilled(onEnd: () => void): boolean {
  const [isFilled, setFilled] = useState(document.fullscreenElement !== null);
  useEffect(() => {
    const change = () => {
      const filled = document.fullscreenElement !== null;
      setFilled(filled);
      if (!filled) onEnd();
    };
    document.addEventListener("fullscreenchange", change);
    return () => document.removeEventListener("fullscreenchange", change);
  }, []);
  return isFilled;
}

/** Asks for the whole screen. A browser that refuses it shows the wall in its window. */
export function fillScreen(): void {
  if (canFill()) document.documentElement.requestFullscreen().catch(() => undefined);
}

export function enterRoom(): void {
  choose({ room: "on" });
  fillScreen();
}

export function leaveRoom(): void {
  choose({ room: "", turn: "" });
  if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => undefined);
}

/** Keeps the screen on while the component is shown. A browser ends it when the page is hidden, so it is asked again. */
export function useScreenOn(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isShown = true;
    const ask = async () => {
      if (document.visibilityState !== "visible" || (lock !== null && !lock.released)) return;
      // A device with an empty battery refuses. The screen then goes off as always.
      lock = await navigator.wakeLock?.request("screen").catch(() => null);
      if (!isShown) void lock?.release();
    };
    const onVisible = () => void ask();
    onVisible();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      isShown = false;
      document.removeEventListener("visibilitychange", onVisible);
      void lock?.release();
    };
  }, []);
}
