import { useEffect, useMemo, useRef } from "preact/hooks";
import { SHARE_VIEWER } from "#texts/share-viewer.ts";
import { Clock } from "../../archive/clock.ts";
import { stepOf } from "../../ui/direction.ts";
import { type Latest, useLatest } from "./latest.ts";
import type { Link, SharedCamera } from "./link.ts";

interface TabsProps {
  link: Link;
  cameras: readonly SharedCamera[];
  chosen: string;
  onChoose(id: string): void;
}

/** The cameras as tabs with their latest pictures. Arrow keys move between them, and Enter opens one. */
export function Tabs({ link, cameras, chosen, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const latest = useLatest(link, cameras, list);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const by = stepOf(event.key);
    const tabs = [...(list.current?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
    const at = tabs.indexOf(event.target as HTMLElement);
    if (by === null || at === -1) return;
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
