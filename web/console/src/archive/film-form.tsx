import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { CAMERA_ARCHIVE } from "#texts/camera-archive.ts";
import type { Archive } from "../../../archive/archive.ts";
import type { Frames } from "../../../archive/frames.ts";
import type { ImageForm } from "../../../archive/port.ts";
import { fileNameOf, saveFile } from "../../../archive/save.ts";
import { Check, Choice, Form } from "../../../ui/form.tsx";
import { Refusal, toast } from "../../../ui/notice.tsx";

const text = CAMERA_ARCHIVE.film;
/** Maximum number of pictures of one film. */
const MAX_PICTURES = 1_500;
const SPEEDS = ["6", "12", "24"] as const;

/** At most MAX_PICTURES capture times of a range, evenly spread. */
function timesBetween(frames: Frames, from: number, to: number): number[] {
  const [begin, end] = [frames.lower(from), frames.lower(to + 1)];
  const count = Math.min(Math.max(0, end - begin), MAX_PICTURES);
  return Array.from({ length: count }, (_, i) => frames.at(begin + Math.floor((i * (end - begin)) / count)));
}

/** Makes a film of a range in the browser, and saves it. */
export function FilmForm(props: { archive: Archive; frames: Frames; from: number; to: number }) {
  const { archive, frames, from, to } = props;
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>("24");
  const [form, setForm] = useState<ImageForm>("thumbnail");
  const stamped = useSignal(true);
  const progress = useSignal<{ done: number; total: number } | null>(null);
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => () => stop.abort(), [stop]);
  const times = useMemo(() => timesBetween(frames, from, to), [frames, from, to]);
  const gaps = frames.gaps.filter(({ start, end }) => start >= from && end <= to).length;
  const seconds = Math.round(times.length / Number(speed) + gaps / 2);
  if (!("VideoEncoder" in globalThis)) return <p class="small muted">{text.unsupported}</p>;
  const make = async () => {
    const { makeFilm, NoEncoder } = await import("../../../archive/film.ts");
    const read = async (time: number, signal: AbortSignal) => {
      if (!archive.previews.has(time))
        await archive.previews.want(times.slice(times.indexOf(time), times.indexOf(time) + 32));
      const captureId = await archive.pictures.idOf(time);
      return captureId === null ? null : archive.pictures.bytes(captureId, form, signal);
    };
    const onProgress = (done: number, total: number) => {
      progress.value = { done, total };
    };
    const clock = archive.clock.peek();
    try {
      const film = { frames, clock, times, perSecond: Number(speed), stamped: stamped.peek(), read, onProgress };
      saveFile(await makeFilm(film, stop.signal), fileNameOf(archive.camera.peek().name, from, "mp4"));
      toast.value = { text: text.saved };
    } catch (thrown) {
      if (thrown instanceof NoEncoder) throw new Refusal(text.unsupported);
      if (!stop.signal.aborted) throw thrown;
    } finally {
      progress.value = null;
    }
  };
  return (
    <Form send={text.send} failed={text.failed} onSend={make}>
      <Choice
        label={text.speed}
        name="speed"
        options={SPEEDS.map((value) => ({ value, label: text.perSecond(value) }))}
        value={speed}
        onChange={setSpeed}
      />
      <Choice
        label={text.size}
        name="size"
        options={[
          { value: "thumbnail", label: text.small },
          { value: "original", label: text.large },
        ]}
        value={form}
        onChange={setForm}
      />
      <Check
        label={text.stamped}
        checked={stamped.value}
        onChange={(on) => {
          stamped.value = on;
        }}
      />
      <p class="small muted nums">
        {text.words(times.length, Math.max(1, seconds))}
        {gaps > 0 && ` ${text.gaps(gaps)}`}
      </p>
      <p class="sr" role="status">
        {progress.value !== null && text.making}
      </p>
      {progress.value !== null && (
        <div>
          <p class="small muted nums">{CAMERA_ARCHIVE.exports.progress(progress.value.done, progress.value.total)}</p>
          <progress value={progress.value.done} max={progress.value.total} aria-label={text.making} />
        </div>
      )}
    </Form>
  );
}
