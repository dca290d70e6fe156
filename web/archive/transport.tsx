import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { COMMON } from "#texts/common.ts";
import { lengthOf } from "../ui/format.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import type { Archive } from "./archive.ts";
import { DAY, HOUR, MINUTE } from "./clock.ts";
import type { Player } from "./player.ts";
import { step, stepGap } from "./steps.ts";

/** Time between two updates of ages. */
const AGE_MS = 15_000;

/** The time of the picture, its age, and whether its camera knew the time. */
function Moment({ archive }: { archive: Archive }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, AGE_MS);
    return () => clearInterval(timer);
  }, [now]);
  const shown = archive.shown.value;
  const clock = archive.clock.value;
  if (shown === null) return <p class="moment" />;
  const age = Math.max(now.value, Date.now()) - shown;
  const words = age < 1.5 * MINUTE ? ARCHIVE.now : ARCHIVE.ago(lengthOf(age));
  const isLatest = archive.frames.value?.last === shown;
  return (
    <p class="moment">
      <time dateTime={new Date(shown).toISOString()}>
        <b>{clock.say(shown, "exact")}</b> <span class="date">{clock.say(shown, "date")}</span>
      </time>
      <span class="small muted nums age">{isLatest ? ARCHIVE.latest(words) : words}</span>
      {archive.details.value?.clockQuality === "estimated" && <span class="small muted">{ARCHIVE.estimated}</span>}
      <ClockButton archive={archive} part="narrow-only" />
    </p>
  );
}

/** Says whose clock the times are, and changes it. */
export function ClockButton({ archive, part }: { archive: Archive; part: "wide-only" | "narrow-only" }) {
  const { timeZone } = archive.clock.value;
  return (
    <button
      type="button"
      class={`btn bare small clock ${part}`}
      title={ARCHIVE.changeClock}
      onClick={() => {
        archive.ownClock.value = !archive.ownClock.peek();
      }}
    >
      <Icon name="clock" />
      <span class="ellipsis">
        {archive.ownClock.value ? ARCHIVE.yourClock(timeZone) : ARCHIVE.cameraClock(timeZone)}
      </span>
    </button>
  );
}

export function ToolButton(props: {
  icon: IconName;
  label: string;
  keys?: string;
  disabled?: boolean;
  onClick(): void;
}) {
  const { icon, label, keys, disabled = false, onClick } = props;
  return (
    <button
      type="button"
      class="btn bare icon-only"
      aria-label={label}
      title={keys === undefined ? label : `${label}  ${keys}`}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function Spans({ archive }: { archive: Archive }) {
  archive.viewVersion.value;
  const { view } = archive;
  const spans: [string, number][] = [
    [ARCHIVE.spans.hour, HOUR],
    [ARCHIVE.spans.sixHours, 6 * HOUR],
    [ARCHIVE.spans.day, DAY],
    [ARCHIVE.spans.week, 7 * DAY],
    [ARCHIVE.spans.month, 30 * DAY],
    [ARCHIVE.spans.all, view.maxSpan],
  ];
  // All spans longer than the archive would show the same part.
  const useful = spans.filter(([, span], i) => i === spans.length - 1 || span < view.maxSpan);
  return (
    <fieldset class="seg" aria-label={ARCHIVE.visibleSpan}>
      {useful.map(([label, span]) => (
        <button
          key={label}
          type="button"
          aria-pressed={Math.abs(view.span / span - 1) < 0.03}
          onClick={() => archive.changeView((one) => one.setSpan(span, archive.shown.peek() ?? one.to))}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

/** The clock of the picture, the buttons that move in time, and the visible span. */
export function Transport({ archive, player }: { archive: Archive; player: Player }) {
  const frames = archive.frames.value;
  const pending = archive.pending.value;
  if (frames === null) return null;
  const gaps = frames.gaps.filter(({ cause }) => cause !== "outside-window");
  const at = pending ?? frames.last;
  return (
    <div class="transport">
      <Moment archive={archive} />
      <fieldset class="buttons" aria-label={ARCHIVE.move}>
        <ToolButton
          icon="gapLeft"
          label={ARCHIVE.previousGap}
          keys="["
          disabled={!gaps.some(({ start }) => start < at)}
          onClick={() => stepGap(archive, -1)}
        />
        <ToolButton
          icon="left"
          label={ARCHIVE.previous}
          keys="←"
          disabled={at === frames.first}
          onClick={() => step(archive, -1)}
        />
        <button
          type="button"
          class="btn icon-only play"
          aria-label={player.playing.value ? ARCHIVE.pause : ARCHIVE.play}
          title={`${player.playing.value ? ARCHIVE.pause : ARCHIVE.play}  ${COMMON.keys.space}`}
          disabled={player.length.value < 2}
          onClick={() => player.toggle()}
        >
          <Icon name={player.playing.value ? "pause" : "play"} />
        </button>
        <ToolButton
          icon="right"
          label={ARCHIVE.next}
          keys="→"
          disabled={at === frames.last}
          onClick={() => step(archive, 1)}
        />
        <ToolButton
          icon="gapRight"
          label={ARCHIVE.nextGap}
          keys="]"
          disabled={!gaps.some(({ start }) => start > at)}
          onClick={() => stepGap(archive, 1)}
        />
      </fieldset>
      <div class="right">
        <Spans archive={archive} />
        <span class="zoom">
          <ToolButton
            icon="minus"
            label={ARCHIVE.showMore}
            onClick={() => archive.changeView((one) => one.zoom(2, archive.shown.peek() ?? one.to))}
          />
          <ToolButton
            icon="plus"
            label={ARCHIVE.showLess}
            onClick={() => archive.changeView((one) => one.zoom(0.5, archive.shown.peek() ?? one.to))}
          />
        </span>
      </div>
    </div>
  );
}
