import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Link, SharedCamera } from "./link.ts";

/** Time between two reads of an archive and of the latest pictures, milliseconds. */
export const REFRESH_MS = 30_000;
/** Distance outside of the visible part of the list within which pictures are read too. */
const AHEAD = "0px 240px";

export interface Latest {
  captureId: string;
  url: string;
  takenAt: number;
}

/**
 * The latest picture of each camera with a visible element in the list. It is read when the element is first visible, and
 * regularly after that. The elements have `data-camera`. A camera without a picture has null.
 */
export function useLatest(
  link: Link,
  cameras: readonly SharedCamera[],
  list: { current: HTMLElement | null },
): Signal<ReadonlyMap<string, Latest | null>> {
  const latest = useSignal<ReadonlyMap<string, Latest | null>>(new Map());
  const ids = cameras.map(({ id }) => id).join();
  useEffect(() => {
    const inView = new Set<string>();
    let ended = false;
    const show = (some: readonly (readonly [string, Latest | null])[]) => {
      if (!ended) latest.value = new Map([...latest.peek(), ...some]);
    };
    const read = async (wanted: readonly string[]) => {
      const items = await link.latest(wanted).catch(() => []);
      show(
        items.map(({ cameraId, preview }) => [
          cameraId,
          preview && {
            captureId: preview.captureId,
            url: `data:image/jpeg;base64,${preview.jpegBase64}`,
            takenAt: Date.parse(preview.capturedAtUtc),
          },
        ]),
      );
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const id = (target as HTMLElement).dataset.camera ?? "";
          if (isIntersecting) inView.add(id);
          else inView.delete(id);
        }
        const missing = [...inView].filter((id) => !latest.peek().has(id));
        // A picture that does not arrive is requested again later.
        show(missing.map((id) => [id, null]));
        if (missing.length > 0) void read(missing);
      },
      { root: list.current, rootMargin: AHEAD },
    );
    for (const tab of list.current?.querySelectorAll("[data-camera]") ?? []) observer.observe(tab);
    const refresh = () => {
      if (!document.hidden && inView.size > 0) void read([...inView]);
    };
    const timer = setInterval(refresh, REFRESH_MS);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      ended = true;
      observer.disconnect();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [link, ids]);
  return latest;
}
