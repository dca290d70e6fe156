import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import type { Archive } from "./archive.ts";
import { Stage } from "./stage.ts";

/** Number of days between the two pictures when the comparison key is pressed. */
const DEFAULT_DAYS = 7;

/** Compares the picture with the same time a week before or with the first picture, or ends the comparison. */
export function toggleCompare(archive: Archive): void {
  const [frames, shown] = [archive.frames.peek(), archive.shown.peek()];
  if (archive.before.peek() !== null) archive.before.value = null;
  else if (frames !== null && shown !== null && frames.count > 1) {
    const week = frames.at(frames.nearest(archive.clock.peek().sameTime(shown, -DEFAULT_DAYS)));
    archive.before.value = week === shown ? frames.first : week;
  }
}

/** Two pictures in the same place. A divider shows more of one or of the other. */
export function Compare({ archive }: { archive: Archive }) {
  const wanted = archive.before.value;
  const [frames, shown, clock] = [archive.frames.value, archive.shown.value, archive.clock.value];
  const box = useRef<HTMLDivElement>(null);
  const cut = useSignal(50);
  const stage = useMemo(() => new Stage(), []);
  const time = wanted === null || frames === null ? null : frames.at(frames.nearest(wanted));
  useLayoutEffect(() => {
    box.current?.style.setProperty("--cut", `${cut.value}%`);
  });
  useEffect(() => {
    if (time === null) return;
    const stop = new AbortController();
    const alt = ARCHIVE.compare.beforeAlt(archive.clock.peek().full(time));
    const show = async () => {
      await archive.previews.want([time]);
      const first = await archive.attempt(() => archive.pictures.first(time, stop.signal), stop.signal);
      if (first === undefined || stop.signal.aborted) return;
      stage.put(first?.image ?? null, alt);
      if (first === null) return;
      const best = await archive.attempt(
        () => archive.pictures.read(first.captureId, "original", stop.signal),
        stop.signal,
      );
      if (best && !stop.signal.aborted) stage.put(best.image, alt);
    };
    void show();
    return () => stop.abort();
  }, [archive, stage, time]);
  useEffect(() => () => stage.put(null, ""), [stage]);
  if (time === null || shown === null) return null;
  const words = (ms: number) => `${clock.say(ms, "date")} ${clock.say(ms, "time")}`;
  return (
    <div class="compare" ref={box}>
      <div class="half">
        <div class="pictures" ref={stage.mount} />
      </div>
      <input
        type="range"
        min="0"
        max="100"
        value={cut.value}
        aria-label={ARCHIVE.compare.divider}
        onInput={(event) => {
          cut.value = Number(event.currentTarget.value);
        }}
      />
      <span class="line" />
      <span class="tag l">
        {ARCHIVE.compare.before} {words(time)}
      </span>
      <span class="tag r">
        {ARCHIVE.compare.after} {words(shown)}
      </span>
    </div>
  );
}
