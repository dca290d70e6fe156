import { useEffect, useRef } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { Icon } from "../ui/icon.tsx";
import type { Archive } from "./archive.ts";
import { type Clock, clockOf, DAY, HOUR, MINUTE, minutesOf } from "./clock.ts";
import type { Frames, GapCause } from "./frames.ts";
import { MomentField } from "./range.tsx";

/** Rows of the list. */
const DAYS = 14;
/** Number of days after the shown one. */
const LATER_DAYS = 3;
/** Maximum distance of a frame from the time of day. A frame further away does not represent the day. */
const MAX_AWAY = HOUR;

interface Day {
  /** The same time of day, and the frame nearest to it. */
  at: number;
  time: number | null;
  cause: GapCause | null;
}

/** The days around a frame, each at a time of day in milliseconds after midnight. */
function daysAround(frames: Frames, clock: Clock, shown: number, timeOfDay: number): Day[] {
  const later = Math.min(LATER_DAYS, Math.ceil((frames.last - shown) / DAY));
  const today = Math.floor(clock.local(shown) / DAY);
  return Array.from({ length: DAYS }, (_, i) => {
    const at = clock.at((today + later - i) * DAY + timeOfDay);
    const time = frames.at(frames.nearest(at));
    return { at, time: Math.abs(time - at) <= MAX_AWAY ? time : null, cause: frames.gapAt(at)?.cause ?? null };
  }).filter(({ at }) => at >= frames.first - DAY && at <= frames.last + DAY);
}

/** The same time on other days: choose one to see it, or to compare it with the picture. */
export function Days({ archive }: { archive: Archive }) {
  const [frames, shown, clock] = [archive.frames.value, archive.shown.value, archive.clock.value];
  archive.previews.version.value;
  // The time of day is the picture's time of day at first. It does not change with the picture.
  const first = useRef<number | null>(null);
  first.current ??= shown;
  const chosen = archive.daily.value;
  const timeOfDay = chosen === null ? clock.local(first.current ?? 0) % DAY : chosen * MINUTE;
  const minutes = Math.floor(timeOfDay / MINUTE);
  const days = frames === null || shown === null ? [] : daysAround(frames, clock, shown, timeOfDay);
  const wanted = days.flatMap(({ time }) => time ?? []);
  useEffect(() => {
    void archive.previews.want(wanted);
  }, [archive, wanted.join()]);
  const text = ARCHIVE.days;
  return (
    <>
      {frames !== null && shown !== null && (
        <MomentField
          label={text.goTo(clock.timeZone)}
          clock={clock}
          value={shown}
          min={frames.first}
          max={frames.last}
          onChange={(ms) => archive.go(frames.at(frames.nearest(ms)), { push: true })}
        />
      )}
      <h2>{text.title(clockOf(minutes))}</h2>
      <label class="field">
        <span>{text.time(clock.timeZone)}</span>
        <input
          class="input nums"
          type="time"
          value={clockOf(minutes)}
          onChange={(event) => {
            archive.daily.value = minutesOf(event.currentTarget.value) ?? archive.daily.peek();
          }}
        />
      </label>
      <p class="small muted">{text.help}</p>
      <ol class="days">
        {days.map(({ at, time, cause }) => {
          const preview = time === null ? undefined : archive.previews.get(time);
          const label = clock.say(at, "day");
          return (
            <li key={label}>
              <button
                type="button"
                class="day"
                aria-current={time !== null && time === shown}
                disabled={time === null}
                onClick={() => time !== null && archive.go(time, { push: true })}
              >
                {preview ? (
                  <img src={preview.url} alt="" width="96" height="54" />
                ) : (
                  <span class={cause === null ? "none" : `none hatch ${cause}`} />
                )}
                <span>
                  <b>{label}</b>
                  <br />
                  <span class="nums">
                    {time !== null ? clock.say(time, "exact") : cause === null ? text.none : ARCHIVE.causes[cause]}
                  </span>
                </span>
              </button>
              {time !== null && time !== shown && (
                <button
                  type="button"
                  class="btn bare icon-only"
                  aria-label={text.compare(label)}
                  title={text.compare(label)}
                  aria-pressed={archive.before.value === time}
                  onClick={() => {
                    archive.before.value = archive.before.peek() === time ? null : time;
                  }}
                >
                  <Icon name="split" />
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}
