import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import type { Archive } from "./archive.ts";
import { Compare } from "./compare.tsx";
import { step } from "./steps.ts";
import { Trouble } from "./trouble.tsx";

/** Makes the stage fill the screen, or return to its size. */
export function toggleFullScreen(stage: Element | null): void {
  if (document.fullscreenElement !== null) void document.exitFullscreen();
  else void stage?.requestFullscreen?.();
}

interface StageButtonProps {
  icon: IconName;
  label: string;
  class: string;
  disabled?: boolean;
  pressed?: boolean;
  onClick(): void;
}

function StageButton({ icon, label, class: name, disabled = false, pressed, onClick }: StageButtonProps) {
  return (
    <button
      type="button"
      class={`tool ${name}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The large picture, with buttons for the previous and the next one. `empty` is the next step without pictures. */
export function Picture({ archive, empty }: { archive: Archive; empty: ComponentChildren }) {
  const { zoom } = archive;
  const stage = useRef<HTMLElement>(null);
  const pictures = useRef<HTMLDivElement>(null);
  const { trouble } = archive.attempts;
  const notice = archive.notice.value;
  // The reason of a wait says more than the wait.
  const isExplained = trouble.value !== null && (notice === ARCHIVE.loading || notice === ARCHIVE.loadingPicture);
  const [frames, pending] = [archive.frames.value, archive.pending.value];
  const isComparing = archive.before.value !== null;
  useEffect(() => {
    archive.stage.mount(pictures.current);
    if (stage.current === null || pictures.current === null) return;
    const undo = zoom.follow(stage.current, pictures.current);
    return () => {
      undo();
      archive.stage.mount(null);
    };
  }, [archive, zoom]);
  useEffect(() => {
    if (isComparing) zoom.show(null);
  }, [isComparing, zoom]);
  return (
    <figure class="stage on-dark" aria-busy={archive.busy.value} ref={stage}>
      <div class="pictures" ref={pictures} />
      <Compare archive={archive} />
      {frames !== null && (
        <>
          <StageButton
            class="edge l"
            icon="left"
            label={ARCHIVE.previous}
            disabled={pending === frames.first}
            onClick={() => step(archive, -1)}
          />
          <StageButton
            class="edge r"
            icon="right"
            label={ARCHIVE.next}
            disabled={pending === frames.last}
            onClick={() => step(archive, 1)}
          />
          <div class="corner">
            {!isComparing && (
              <StageButton
                class="pixel"
                icon="zoom"
                label={ARCHIVE.fullSize}
                pressed={zoom.scale.value > 1}
                onClick={() => zoom.toggle()}
              />
            )}
            {document.fullscreenEnabled && (
              <StageButton
                class="full"
                icon="expand"
                label={ARCHIVE.fullScreen}
                onClick={() => toggleFullScreen(stage.current)}
              />
            )}
          </div>
        </>
      )}
      {notice !== null && !isExplained && (
        <div class="notice">
          <p>{notice}</p>
          {notice === ARCHIVE.none && empty}
        </div>
      )}
      <div
        class={trouble.value instanceof TypeError ? "connection lost" : "connection"}
        role="status"
        hidden={trouble.value === null}
      >
        {trouble.value !== null && <Trouble error={trouble.value} />}
      </div>
    </figure>
  );
}
