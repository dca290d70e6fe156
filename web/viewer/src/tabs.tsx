import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SharedCameraList } from "../../../client/src/index.ts";
import { Clock } from "../../archive/clock.ts";
import { SHARE_VIEWER } from "../../texts/share-viewer.ts";
import type { Link } from "./link.ts";

export type SharedCamera = SharedCameraList["cameras"][number];

/** Time between two reads of an archive and of the latest pictures, milliseconds. */
export const REFRESH_MS = 30_000;
/** Distance outside of the visible tabs within which pictures are read as well. */
const AHEAD = "0px 240px";

interface Latest {
  url: string;
  takenAt: number;
}

interface TabsProps {
  link: Link;
  cameras: readonly SharedCamera[];
  chosen: string;
  onChoose(id: string): void;
}

/**
 * The latest picture of each camera with a visible tab. It is read when the tab is first visible, and regularly after
 * that.
 */
function useLatest(link: Link, cameras: readonly SharedCamera[], list: { current: HTMLElement | null }) {
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

/** The cameras as tabs with their latest pictures. Arrow keys move between them, and Enter opens one. */
export function Tabs({ link, cameras, chosen, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const latest = useLatest(link, cameras, list);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const tabs = [...(list.current?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
    const at = tabs.indexOf(event.target as HTMLElement);
    if (by === undefined || at === -1) return;
    event.preventDefault();
    tabs[(at + by + tabs.length) % tabs.length]?.focus();
  };
  return (
    <div class="cams" role="tablist" aria-label={SHARE_VIEWER.cameras} ref={list} onKeyDown={move}>
      {cameras.map(({ id, name, timeZone }) => (
        <button
          key={id}
          type="button"
          role="tab"
          title={name}
          data-camera={id}
          aria-selected={id === chosen}
          aria-controls="archive"
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          <span class="name">{name}</span>
          <LatestPicture latest={latest.value.get(id) ?? null} timeZone={timeZone} />
        </button>
      ))}
    </div>
  );
}

function LatestPicture({ latest, timeZone }: { latest: Latest | null; timeZone: string }) {
  const alt = useMemo(
    () => (latest === null ? "" : SHARE_VIEWER.latest(new Clock(timeZone).full(latest.takenAt))),
    [latest?.takenAt, timeZone],
  );
  if (latest === null) return <span class="latest" />;
  return <img class="latest" src={latest.url} alt={alt} loading="lazy" decoding="async" />;
}
