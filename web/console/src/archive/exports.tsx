import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { CAMERA_ARCHIVE } from "#texts/camera-archive.ts";
import { COMMON } from "#texts/common.ts";
import { sizeOf } from "#texts/language.ts";
import { type CameraExport, dataOf, ProblemError } from "../../../../client/src/index.ts";
import type { Archive } from "../../../archive/archive.ts";
import type { Frames } from "../../../archive/frames.ts";
import { MomentField } from "../../../archive/range.tsx";
import { Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Alert, say } from "../../../ui/notice.tsx";
import { address, navigate } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { FilmForm } from "./film-form.tsx";

const text = CAMERA_ARCHIVE.exports;
/** Time between two reads of an unfinished export, milliseconds. */
const WATCH_MS = 1_500;

interface Place {
  cameraId: string;
  locationId: string;
}

const isUnderWay = ({ status }: CameraExport): boolean => status === "queued" || status === "preparing";

/** An export by its id. It is read again until it has ended. A new `turn` reads it at once. */
function useExport({ cameraId, locationId }: Place, operationId: string | null, turn: number) {
  const [state, setState] = useState<{ found: CameraExport | null; error: unknown }>({ found: null, error: null });
  useEffect(() => {
    if (operationId === null) return;
    let present = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      const params = { path: { cameraId, operationId }, query: { locationId } };
      try {
        const found = await dataOf(api.GET("/v1/cameras/{cameraId}/exports/{operationId}", { params }));
        if (!present) return;
        setState({ found, error: null });
        if (isUnderWay(found)) timer = setTimeout(look, WATCH_MS);
      } catch (error) {
        if (present) setState({ found: null, error });
      }
    };
    void look();
    return () => {
      present = false;
      clearTimeout(timer);
    };
  }, [cameraId, locationId, operationId, turn]);
  return state;
}

/** Shows an export: its id becomes a part of the address. */
function showExport(operationId: string): void {
  const next = new URL(address.peek());
  next.searchParams.set("export", operationId);
  navigate(next.href, { replace: true });
}

/** The button for the person's latest export of the archive, for example one that they left while it was prepared. */
function LatestButton({ cameraId, locationId }: Place) {
  const [failure, setFailure] = useState<unknown>(null);
  const show = async () => {
    setFailure(null);
    const params = { path: { cameraId }, query: { locationId } };
    try {
      showExport((await dataOf(api.GET("/v1/cameras/{cameraId}/exports/latest", { params }))).operationId);
    } catch (thrown) {
      if (thrown instanceof ProblemError && thrown.status === 404) say(text.noLatest);
      else setFailure(thrown);
    }
  };
  return (
    <div class="box">
      {failure !== null && <Alert title={text.loadFailed} error={failure} />}
      <button type="button" class="btn" onClick={() => void show()}>
        {text.showLatest}
      </button>
    </div>
  );
}

/** Exports a range of the archive: as a film, or the originals as a ZIP. The address contains the shown export. */
export function Exports(props: ExportsProps) {
  const frames = props.archive.frames.value;
  return frames === null ? null : <ExportForm {...props} frames={frames} />;
}

interface ExportsProps {
  archive: Archive;
  place: Place;
  /** The first frame of the range at first; null for the part that the ruler shows. */
  start: number | null;
}

function ExportForm({ archive, frames, place, start: first }: ExportsProps & { frames: Frames }) {
  const from = useSignal(first ?? Math.max(archive.view.from, frames.first));
  const to = useSignal(Math.min(first === null ? archive.view.to : frames.last, frames.last));
  const format = useSignal<"film" | "zip">("film");
  const [turn, setTurn] = useState(0);
  const { cameraId, locationId } = place;
  const operationId = address.value.searchParams.get("export");
  const { found: latest, error } = useExport(place, operationId, turn);
  const clock = archive.clock.value;
  const count = Math.max(0, frames.lower(to.value + 1) - frames.lower(from.value));
  const start = async () => {
    const range = { fromUtc: new Date(from.value).toISOString(), toUtc: new Date(to.value).toISOString() };
    const params = { path: { cameraId }, query: { locationId } };
    const begun = await dataOf(api.POST("/v1/cameras/{cameraId}/exports", { params, body: range }));
    showExport(begun.operationId);
  };
  const limits = { clock, min: frames.first, max: frames.last };
  return (
    <>
      <h2>{text.title}</h2>
      <MomentField
        label={text.from}
        {...limits}
        value={from.value}
        onChange={(ms) => {
          from.value = ms;
        }}
      />
      <MomentField
        label={text.to}
        {...limits}
        value={to.value}
        onChange={(ms) => {
          to.value = ms;
        }}
      />
      <p class="small muted nums">
        {text.count(count)} {text.clock(clock.timeZone)}
      </p>
      <fieldset class="seg" aria-label={text.format}>
        {(["film", "zip"] as const).map((one) => (
          <button
            key={one}
            type="button"
            class="grow"
            aria-pressed={format.value === one}
            onClick={() => {
              format.value = one;
            }}
          >
            {one === "film" ? CAMERA_ARCHIVE.film.title : text.zip}
          </button>
        ))}
      </fieldset>
      {format.value === "film" ? (
        <FilmForm archive={archive} frames={frames} from={from.value} to={to.value} />
      ) : (
        <Form send={text.start} failed={text.failed} onSend={start}>
          <p class="small muted">{text.zipHelp}</p>
        </Form>
      )}
      {error !== null && (
        <Alert title={text.loadFailed} error={error} onRetry={() => setTurn((before) => before + 1)} />
      )}
      <p class="sr" role="status">
        {latest !== null && saidOf(latest)}
      </p>
      {latest !== null && <Latest archive={archive} latest={latest} />}
      {operationId === null && <LatestButton {...place} />}
    </>
  );
}

/** The state of an export in words. Screen readers announce each change. */
const saidOf = ({ status, error }: CameraExport): string =>
  error === null ? text.statuses[status] : COMMON.named(text.statuses[status], error.detail);

function Latest({ archive, latest }: { archive: Archive; latest: CameraExport }) {
  const clock = archive.clock.value;
  const { done, total } = latest.progress;
  const say = (utc: string | null, otherwise: string) =>
    utc === null ? otherwise : `${clock.say(Date.parse(utc), "date")} ${clock.say(Date.parse(utc), "time")}`;
  return (
    <div class="box">
      <h3>{text.latest}</h3>
      <p class="small nums">{text.range(say(latest.fromUtc, text.everything), say(latest.toUtc, text.now))}</p>
      <p class="small muted nums">
        {saidOf(latest)}
        {isUnderWay(latest) && ` · ${text.progress(done, total)}`}
      </p>
      {isUnderWay(latest) && (
        <progress value={done} max={Math.max(1, total)} aria-label={text.statuses[latest.status]} />
      )}
      {latest.downloadUrl !== null && (
        <>
          <a class="btn" href={latest.downloadUrl} download>
            <Icon name="download" />
            {text.download(sizeOf(latest.totalBytes ?? 0))}
          </a>
          <p class="small muted">{text.resume}</p>
        </>
      )}
    </div>
  );
}
